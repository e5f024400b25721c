//! Bind group layouts and pipelines of all passes, from the built-in shaders or from changed files.

use shaders::{Body, Model, ModelVertex, OverlayVertex, Pass, Run};

use super::behind::{Behind, DepthType};
use super::war::{MAP_FORMAT, WAR_FORMAT};
use crate::Gpu;
use crate::gpu::{DEPTH_FORMAT, PICTURE_FORMAT};

/// The layouts of all bind groups.
pub(crate) struct Layouts {
    /// Group 0: the picture, shadows, light in the air, fog of war.
    pub(crate) frame: wgpu::BindGroupLayout,
    /// Group 1 of voxels: quads, chunks, materials, details, opaque voxels.
    pub(crate) voxels: wgpu::BindGroupLayout,
    /// Group 2 of shadows: one cascade.
    pub(crate) cascade: wgpu::BindGroupLayout,
    /// Group 2 of water: depth of the geometry behind.
    pub(crate) depth: wgpu::BindGroupLayout,
    /// Group 1 of overlays.
    pub(crate) base: wgpu::BindGroupLayout,
    /// Group 1 of bloom.
    pub(crate) source: wgpu::BindGroupLayout,
    /// Group 1 of tone mapping.
    pub(crate) finish: wgpu::BindGroupLayout,
    /// Group 0 of the smoothing of fog of war.
    pub(crate) war: wgpu::BindGroupLayout,
}

use wgpu::ShaderStages as Stages;

fn uniform(binding: u32, stages: Stages, dynamic: bool) -> wgpu::BindGroupLayoutEntry {
    entry(
        binding,
        stages,
        wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Uniform,
            has_dynamic_offset: dynamic,
            min_binding_size: None,
        },
    )
}

fn storage(binding: u32, stages: Stages) -> wgpu::BindGroupLayoutEntry {
    entry(
        binding,
        stages,
        wgpu::BindingType::Buffer {
            ty: wgpu::BufferBindingType::Storage { read_only: true },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
    )
}

fn entry(binding: u32, visibility: Stages, ty: wgpu::BindingType) -> wgpu::BindGroupLayoutEntry {
    wgpu::BindGroupLayoutEntry {
        binding,
        visibility,
        ty,
        count: None,
    }
}

fn texture(
    binding: u32,
    sample_type: wgpu::TextureSampleType,
    view_dimension: wgpu::TextureViewDimension,
    multisampled: bool,
) -> wgpu::BindGroupLayoutEntry {
    entry(
        binding,
        Stages::FRAGMENT,
        wgpu::BindingType::Texture {
            sample_type,
            view_dimension,
            multisampled,
        },
    )
}

fn sampler(binding: u32, kind: wgpu::SamplerBindingType) -> wgpu::BindGroupLayoutEntry {
    entry(binding, Stages::FRAGMENT, wgpu::BindingType::Sampler(kind))
}

const SMOOTH: wgpu::TextureSampleType = wgpu::TextureSampleType::Float { filterable: true };
pub(super) const EXACT: wgpu::TextureSampleType =
    wgpu::TextureSampleType::Float { filterable: false };
const FLAT: wgpu::TextureViewDimension = wgpu::TextureViewDimension::D2;
const LAYERED: wgpu::TextureViewDimension = wgpu::TextureViewDimension::D2Array;

impl Layouts {
    pub(crate) fn new(gpu: &Gpu, samples: u32) -> Self {
        let make = |label, entries: &[wgpu::BindGroupLayoutEntry]| {
            gpu.device
                .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                    label: Some(label),
                    entries,
                })
        };
        let both = Stages::VERTEX_FRAGMENT;
        let depth_type = DepthType::of(gpu, samples);
        let filtering = wgpu::SamplerBindingType::Filtering;
        Self {
            frame: make(
                "frame",
                &[
                    uniform(0, both, false),
                    texture(1, wgpu::TextureSampleType::Depth, LAYERED, false),
                    sampler(2, wgpu::SamplerBindingType::Comparison),
                    storage(3, Stages::FRAGMENT),
                    texture(4, SMOOTH, FLAT, false),
                    sampler(5, filtering),
                ],
            ),
            voxels: make(
                "voxels",
                &[
                    storage(0, Stages::VERTEX),
                    storage(1, Stages::VERTEX),
                    storage(2, both),
                    texture(3, SMOOTH, LAYERED, false),
                    sampler(4, filtering),
                    storage(5, Stages::FRAGMENT),
                    storage(6, Stages::FRAGMENT),
                ],
            ),
            cascade: make("cascade", &[uniform(0, Stages::VERTEX, true)]),
            depth: make(
                "depth",
                &[texture(
                    0,
                    depth_type.sample_type,
                    FLAT,
                    depth_type.multisampled,
                )],
            ),
            base: make("base", &[uniform(0, Stages::VERTEX, true)]),
            source: make(
                "source",
                &[texture(0, SMOOTH, FLAT, false), sampler(1, filtering)],
            ),
            finish: make(
                "finish",
                &[
                    texture(0, SMOOTH, FLAT, false),
                    texture(1, SMOOTH, FLAT, false),
                    sampler(2, filtering),
                ],
            ),
            war: make(
                "war",
                &[
                    uniform(0, Stages::FRAGMENT, false),
                    texture(1, EXACT, FLAT, false),
                    texture(2, EXACT, FLAT, false),
                ],
            ),
        }
    }
}

/// All pipelines for one number of samples per pixel.
pub(crate) struct Pipelines {
    pub(crate) war_blur: wgpu::RenderPipeline,
    pub(crate) war_map: wgpu::RenderPipeline,
    pub(crate) shadow: wgpu::RenderPipeline,
    pub(crate) shadow_holes: wgpu::RenderPipeline,
    pub(crate) shadow_body: wgpu::RenderPipeline,
    pub(crate) shadow_model: wgpu::RenderPipeline,
    pub(crate) terrain: wgpu::RenderPipeline,
    pub(crate) holes: wgpu::RenderPipeline,
    /// For adapters on which water cannot read the depth it is tested against.
    pub(crate) behind: Option<Behind>,
    pub(crate) bodies: [wgpu::RenderPipeline; 3],
    pub(crate) models: wgpu::RenderPipeline,
    pub(crate) sky: wgpu::RenderPipeline,
    pub(crate) water: wgpu::RenderPipeline,
    pub(crate) triangles: [wgpu::RenderPipeline; 3],
    pub(crate) lines: [wgpu::RenderPipeline; 3],
    pub(crate) bloom: [wgpu::RenderPipeline; 3],
    pub(crate) tone: wgpu::RenderPipeline,
}

/// Entry points of the levels of detail of bodies.
const BODY_VERTICES: [&str; 3] = ["vertex_near", "vertex_middle", "vertex_far"];

/// Returns the text of a pass.
pub(crate) type Sources<'a> = &'a dyn Fn(Pass) -> String;

/// The depth test of a pipeline.
#[derive(Clone, Copy)]
enum DepthUse {
    /// No depth at all.
    None,
    /// The nearer fragment wins and is written.
    Write,
    /// Only the nearer fragment is drawn.
    Test,
    /// Every fragment is drawn.
    Ignore,
}

/// The differences between pipelines.
struct Plan<'a> {
    pass: Pass,
    vertex: &'a str,
    fragment: Option<&'a str>,
    groups: &'a [Option<&'a wgpu::BindGroupLayout>],
    topology: wgpu::PrimitiveTopology,
    cull: Option<wgpu::Face>,
    depth: DepthUse,
    bias: wgpu::DepthBiasState,
    /// Comparison of depths; shadow maps are not reversed.
    compare: wgpu::CompareFunction,
    target: Option<wgpu::TextureFormat>,
    blend: Option<wgpu::BlendState>,
    samples: u32,
    coverage: bool,
    buffers: &'a [Option<wgpu::VertexBufferLayout<'a>>],
}

impl Pipelines {
    pub(crate) fn new(
        gpu: &Gpu,
        layouts: &Layouts,
        samples: u32,
        output: wgpu::TextureFormat,
        sources: Sources<'_>,
    ) -> Self {
        let factory = Factory::new(gpu, samples, sources);
        let picture = |pass, vertex, fragment, groups| Plan {
            pass,
            vertex,
            fragment: Some(fragment),
            groups,
            topology: wgpu::PrimitiveTopology::TriangleList,
            cull: None,
            depth: DepthUse::Write,
            bias: wgpu::DepthBiasState::default(),
            compare: wgpu::CompareFunction::GreaterEqual,
            target: Some(PICTURE_FORMAT),
            blend: None,
            samples,
            coverage: false,
            buffers: &[],
        };
        let frame = Some(&layouts.frame);
        let voxels = &[frame, Some(&layouts.voxels)][..];
        let shadows = &[frame, Some(&layouts.voxels), Some(&layouts.cascade)][..];
        let run_attributes = attributes(Run::OFFSETS, RUN_FORMATS);
        let runs = [buffer::<Run>(
            wgpu::VertexStepMode::Instance,
            &run_attributes,
        )];
        let body_attributes = attributes(Body::OFFSETS, BODY_FORMATS);
        let bodied = [buffer::<Body>(
            wgpu::VertexStepMode::Instance,
            &body_attributes,
        )];
        let voxel = |pass, vertex, fragment| Plan {
            buffers: &runs,
            ..picture(pass, vertex, fragment, voxels)
        };
        let shadow = |vertex| Plan {
            buffers: &runs,
            fragment: None,
            target: None,
            samples: 1,
            compare: wgpu::CompareFunction::LessEqual,
            bias: wgpu::DepthBiasState {
                constant: 2,
                slope_scale: 1.5,
                clamp: 0.0,
            },
            ..picture(Pass::Shadow, vertex, "", shadows)
        };
        let alone = &[frame][..];
        let cascade_alone = &[frame, None, Some(&layouts.cascade)][..];
        let body = |vertex| Plan {
            buffers: &bodied,
            ..picture(Pass::Body, vertex, "fragment", alone)
        };
        let unseen = |plan| Plan {
            fragment: None,
            target: None,
            samples: 1,
            ..plan
        };
        let corner_attributes = attributes(ModelVertex::OFFSETS, CORNER_FORMATS);
        let model_attributes = attributes(Model::OFFSETS, MODEL_FORMATS).map(|attribute| {
            let shader_location = attribute.shader_location + Model::FIRST_LOCATION;
            wgpu::VertexAttribute {
                shader_location,
                ..attribute
            }
        });
        let model_buffers = [
            buffer::<ModelVertex>(wgpu::VertexStepMode::Vertex, &corner_attributes),
            buffer::<Model>(wgpu::VertexStepMode::Instance, &model_attributes),
        ];
        let model = Plan {
            buffers: &model_buffers,
            ..picture(Pass::Model, "vertex", "fragment", alone)
        };
        let water = &[frame, Some(&layouts.voxels), Some(&layouts.depth)][..];
        let base = &[frame, Some(&layouts.base)][..];
        let overlay_attributes = attributes(OverlayVertex::OFFSETS, OVERLAY_FORMATS);
        let overlay_buffers = [buffer::<OverlayVertex>(
            wgpu::VertexStepMode::Vertex,
            &overlay_attributes,
        )];
        let overlay = |topology, depth| {
            factory.make(&Plan {
                topology,
                depth,
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                buffers: &overlay_buffers,
                ..picture(Pass::Overlay, "vertex", "fragment", base)
            })
        };
        let both = |topology| {
            [
                overlay(topology, DepthUse::Test),
                overlay(topology, DepthUse::Ignore),
                overlay(topology, DepthUse::Write),
            ]
        };
        let source = &[frame, Some(&layouts.source)][..];
        let flat = |pass, fragment, groups, target| Plan {
            depth: DepthUse::None,
            samples: 1,
            target: Some(target),
            ..picture(pass, "vertex", fragment, groups)
        };
        let bloom = |fragment| factory.make(&flat(Pass::Bloom, fragment, source, PICTURE_FORMAT));
        let finish = if output.is_srgb() {
            "fragment_linear"
        } else {
            "fragment"
        };
        Self {
            war_blur: factory.make(&Plan {
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                ..flat(Pass::WarBlur, "fragment", &[Some(&layouts.war)], WAR_FORMAT)
            }),
            war_map: factory.make(&flat(
                Pass::WarBlur,
                "fragment_map",
                &[Some(&layouts.war)],
                MAP_FORMAT,
            )),
            shadow: factory.make(&Plan {
                cull: Some(wgpu::Face::Back),
                ..shadow("vertex")
            }),
            shadow_holes: factory.make(&shadow("vertex_holes")),
            shadow_body: factory.make(&Plan {
                buffers: &bodied,
                groups: cascade_alone,
                ..shadow("vertex_body")
            }),
            shadow_model: factory.make(&Plan {
                buffers: &model_buffers,
                groups: cascade_alone,
                ..shadow("vertex_model")
            }),
            terrain: factory.make(&Plan {
                cull: Some(wgpu::Face::Back),
                ..voxel(Pass::Terrain, "vertex", "fragment")
            }),
            holes: factory.make(&Plan {
                coverage: samples > 1,
                ..voxel(Pass::Terrain, "vertex_holes", "fragment_holes")
            }),
            bodies: BODY_VERTICES.map(|vertex| factory.make(&body(vertex))),
            models: factory.make(&model),
            behind: (!gpu.capabilities.depth_under_test).then(|| Behind {
                terrain: factory.make(&Plan {
                    cull: Some(wgpu::Face::Back),
                    ..unseen(voxel(Pass::Terrain, "vertex", ""))
                }),
                holes: factory.make(&Plan {
                    fragment: Some("fragment_holes"),
                    ..unseen(voxel(Pass::Terrain, "vertex_holes", ""))
                }),
                bodies: BODY_VERTICES.map(|vertex| factory.make(&unseen(body(vertex)))),
                models: factory.make(&unseen(Plan {
                    buffers: &model_buffers,
                    ..picture(Pass::Model, "vertex", "", alone)
                })),
            }),
            sky: factory.make(&Plan {
                depth: DepthUse::Test,
                ..picture(Pass::Sky, "vertex", "fragment", alone)
            }),
            water: factory.make(&Plan {
                depth: DepthUse::Test,
                blend: Some(wgpu::BlendState::ALPHA_BLENDING),
                buffers: &runs,
                ..picture(Pass::Water, "vertex", "fragment", water)
            }),
            triangles: both(wgpu::PrimitiveTopology::TriangleList),
            lines: both(wgpu::PrimitiveTopology::LineList),
            bloom: [
                bloom("fragment_bright"),
                bloom("fragment_across"),
                bloom("fragment_down"),
            ],
            tone: factory.make(&flat(
                Pass::Tone,
                finish,
                &[frame, Some(&layouts.finish)],
                output,
            )),
        }
    }
}

use wgpu::VertexFormat as Format;

const RUN_FORMATS: [Format; 2] = [Format::Uint32; 2];
const BODY_FORMATS: [Format; 5] = [
    Format::Float32x3,
    Format::Uint32,
    Format::Float32x3,
    Format::Uint32,
    Format::Float32x4,
];
const CORNER_FORMATS: [Format; 2] = [Format::Float32x3; 2];
const MODEL_FORMATS: [Format; 3] = [Format::Float32x4, Format::Float32x4, Format::Unorm8x4];
const OVERLAY_FORMATS: [Format; 2] = [Format::Float32x3, Format::Unorm8x4];

/// Numbers attributes from 0.
fn attributes<const COUNT: usize>(
    offsets: [u64; COUNT],
    formats: [Format; COUNT],
) -> [wgpu::VertexAttribute; COUNT] {
    std::array::from_fn(|number| wgpu::VertexAttribute {
        format: formats[number],
        offset: offsets[number],
        shader_location: number as u32,
    })
}

/// Describes a vertex buffer of rows of one type.
fn buffer<Row>(
    step_mode: wgpu::VertexStepMode,
    attributes: &[wgpu::VertexAttribute],
) -> Option<wgpu::VertexBufferLayout<'_>> {
    Some(wgpu::VertexBufferLayout {
        array_stride: size_of::<Row>() as u64,
        step_mode,
        attributes,
    })
}

struct Factory<'a> {
    gpu: &'a Gpu,
    modules: Vec<(Pass, wgpu::ShaderModule)>,
}

impl<'a> Factory<'a> {
    fn new(gpu: &'a Gpu, samples: u32, sources: Sources<'_>) -> Self {
        let depth_type = DepthType::of(gpu, samples);
        let module = |pass: Pass| {
            let text = sources(pass);
            // The only type that depends on the adapter and the number of samples.
            let text = text.replace("texture_depth_multisampled_2d", depth_type.name);
            let module = gpu
                .device
                .create_shader_module(wgpu::ShaderModuleDescriptor {
                    label: Some(pass.name()),
                    source: wgpu::ShaderSource::Wgsl(text.into()),
                });
            (pass, module)
        };
        Self {
            gpu,
            modules: Pass::ALL.map(module).into(),
        }
    }

    fn make(&self, plan: &Plan<'_>) -> wgpu::RenderPipeline {
        let device = &self.gpu.device;
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(plan.pass.name()),
            bind_group_layouts: plan.groups,
            immediate_size: 0,
        });
        let module = self
            .modules
            .iter()
            .find(|(pass, _)| *pass == plan.pass)
            .map(|(_, module)| module);
        let Some(module) = module else {
            unreachable!("a module was made for every pass")
        };
        let target = plan.target.map(|format| {
            Some(wgpu::ColorTargetState {
                format,
                blend: plan.blend,
                write_mask: wgpu::ColorWrites::ALL,
            })
        });
        device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: Some(plan.pass.name()),
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module,
                entry_point: Some(plan.vertex),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                buffers: plan.buffers,
            },
            primitive: wgpu::PrimitiveState {
                topology: plan.topology,
                cull_mode: plan.cull,
                ..Default::default()
            },
            depth_stencil: depth_state(plan),
            multisample: wgpu::MultisampleState {
                count: plan.samples,
                mask: !0,
                alpha_to_coverage_enabled: plan.coverage,
            },
            fragment: plan.fragment.map(|name| wgpu::FragmentState {
                module,
                entry_point: Some(name),
                compilation_options: wgpu::PipelineCompilationOptions::default(),
                targets: target.as_slice(),
            }),
            multiview_mask: None,
            cache: None,
        })
    }
}

fn depth_state(plan: &Plan<'_>) -> Option<wgpu::DepthStencilState> {
    let (write, compare) = match plan.depth {
        DepthUse::None => return None,
        DepthUse::Write => (true, plan.compare),
        DepthUse::Test => (false, plan.compare),
        DepthUse::Ignore => (false, wgpu::CompareFunction::Always),
    };
    Some(wgpu::DepthStencilState {
        format: DEPTH_FORMAT,
        depth_write_enabled: Some(write),
        depth_compare: Some(compare),
        stencil: wgpu::StencilState::default(),
        bias: plan.bias,
    })
}
