//! Every pass is valid WGSL, also with one sample per pixel and with unfiltered depth, and every
//! shared struct has the same layout as its Rust twin.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use naga::valid::{Capabilities, ValidationFlags, Validator};
use shaders::{Pass, SharedStruct, shared_structs};

fn parse(pass: Pass, text: &str) -> naga::Module {
    let module = naga::front::wgsl::parse_str(text)
        .unwrap_or_else(|error| panic!("{}: {}", pass.name(), error.emit_to_string(text)));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::default());
    if let Err(error) = validator.validate(&module) {
        panic!("{}: {}", pass.name(), error.emit_to_string(text));
    }
    module
}

#[test]
fn every_pass_is_valid() {
    for pass in Pass::ALL {
        parse(pass, &pass.text());
        for depth in ["texture_depth_2d", "texture_2d<f32>"] {
            let text = pass.text().replace("texture_depth_multisampled_2d", depth);
            parse(pass, &text);
        }
    }
}

#[test]
fn built_in_text_is_what_the_files_say() {
    for pass in Pass::ALL {
        assert_eq!(pass.text(), pass.read(shaders::source_folder()).unwrap());
    }
}

#[test]
fn shared_structs_lie_alike_in_both_languages() {
    let mut seen = BTreeSet::new();
    for pass in Pass::ALL {
        let module = parse(pass, &pass.text());
        let layouts = layouts_of(&module);
        for (handle, shape) in module.types.iter() {
            let (Some(name), naga::TypeInner::Struct { members, span }) =
                (&shape.name, &shape.inner)
            else {
                continue;
            };
            let Some(twin) = shared_structs().iter().find(|twin| twin.name == name) else {
                continue;
            };
            seen.insert(twin.name);
            if members
                .iter()
                .any(|member| matches!(member.binding, Some(naga::Binding::Location { .. })))
            {
                compare_attributes(twin, members);
            } else {
                let _ = handle;
                compare_block(pass, twin, &module, members, *span, &layouts);
            }
        }
    }
    let all: BTreeSet<_> = shared_structs().iter().map(|twin| twin.name).collect();
    assert_eq!(seen, all, "a Rust struct without a shader twin");
}

/// Every struct behind a uniform or storage binding has a Rust twin.
#[test]
fn every_block_of_a_shader_has_a_twin() {
    for pass in Pass::ALL {
        let module = parse(pass, &pass.text());
        for (_, variable) in module.global_variables.iter() {
            let mut shape = &module.types[variable.ty];
            if let naga::TypeInner::Array { base, .. } = shape.inner {
                shape = &module.types[base];
            }
            if let (naga::TypeInner::Struct { .. }, Some(name)) = (&shape.inner, &shape.name) {
                assert!(
                    shared_structs().iter().any(|twin| twin.name == name),
                    "{}: {name}",
                    pass.name()
                );
            }
        }
    }
}

fn layouts_of(module: &naga::Module) -> naga::proc::Layouter {
    let mut layouts = naga::proc::Layouter::default();
    layouts.update(module.to_ctx()).unwrap();
    layouts
}

fn compare_block(
    pass: Pass,
    twin: &SharedStruct,
    module: &naga::Module,
    members: &[naga::StructMember],
    span: u32,
    layouts: &naga::proc::Layouter,
) {
    let place = format!("{}: {}", pass.name(), twin.name);
    assert_eq!(twin.size, span as usize, "{place}: size");
    assert_eq!(
        twin.fields.len(),
        members.len(),
        "{place}: number of fields"
    );
    for (&(name, offset, size), member) in twin.fields.iter().zip(members) {
        assert_eq!(Some(name), member.name.as_deref(), "{place}: order");
        assert_eq!(offset, member.offset as usize, "{place}: offset of {name}");
        let _ = module;
        assert_eq!(
            size, layouts[member.ty].size as usize,
            "{place}: size of {name}"
        );
    }
}

fn compare_attributes(twin: &SharedStruct, members: &[naga::StructMember]) {
    // Instance attributes follow the vertex attributes.
    let first = match twin.name {
        "Model" => shaders::Model::FIRST_LOCATION as usize,
        _ => 0,
    };
    for (index, (&(name, ..), member)) in twin.fields.iter().zip(members).enumerate() {
        assert_eq!(Some(name), member.name.as_deref(), "{}: order", twin.name);
        let Some(naga::Binding::Location { location, .. }) = member.binding else {
            panic!("{name} has no location")
        };
        assert_eq!(
            location as usize,
            first + index,
            "{}: location of {name}",
            twin.name
        );
    }
}
