#!/bin/sh
# Runs the regression scenes on WebAssembly and compares their state hashes with the pinned ones.
# Needs a compiler with the source of its standard library, a linker for WebAssembly and Node; on
# Debian: apt install rustc-web rust-web-src cargo-web lld-19 nodejs.
# Exit code 0: the same bits; 1: other bits, or the build failed; 3: skipped, a tool is missing.
set -u
cd "$(dirname "$0")" || exit 1
for tool in /usr/bin/rustc /usr/bin/cargo wasm-ld-19 node; do
    if ! command -v "$tool" >/dev/null; then
        echo "same bits: SKIPPED, $tool is missing" >&2
        exit 3
    fi
done
PATH="/usr/bin:$PATH" RUSTC=/usr/bin/rustc RUSTC_WRAPPER="$PWD/newer.sh" RUSTC_BOOTSTRAP=1 \
    CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19 \
    /usr/bin/cargo build --release --ignore-rust-version --target wasm32-unknown-unknown \
    --target-dir ../../target/same_bits -Zbuild-std=std,panic_abort || exit 1
node -e '
const bytes = require("fs").readFileSync("../../target/same_bits/wasm32-unknown-unknown/release/same_bits.wasm");
WebAssembly.instantiate(bytes, {}).then(({ instance }) => {
    const others = instance.exports.main(0, 0);
    console.log(others === 0 ? "same bits on wasm32" : `other bits on wasm32 in ${others} scenes`);
    process.exit(others === 0 ? 0 : 1);
}, (error) => { console.error(error); process.exit(1); });
'
