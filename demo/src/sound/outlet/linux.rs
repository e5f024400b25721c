//! The device on Linux: the sound server of the desktop (PipeWire or PulseAudio), reached by its
//! own protocol. Nothing is linked, so neither a build nor a start needs a library of the system;
//! without a server there is silence.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use kira::backend::Renderer;
use pulseaudio::protocol::stream::{BufferAttr, StreamFlags};
use pulseaudio::protocol::{
    self, ChannelMap, ChannelVolume, PlaybackStreamParams, SampleFormat, SampleSpec,
};
use pulseaudio::{AsPlaybackSource, Client, ClientError};

use super::NoDevice;

/// Frames a second; the server converts them to the device's.
const RATE: u32 = 48_000;
/// Bytes of a frame of two channels.
const FRAME_BYTES: usize = 8;
/// Frames that wait in the server, a latency of 40 ms.
const WAITING: u32 = RATE / 25;
/// Most frames computed at once.
const MOST_FRAMES: usize = 1 << 14;

/// The connection to the server; it ends when this is dropped.
pub(in crate::sound) struct Device {
    ended: Arc<AtomicBool>,
}

impl Device {
    /// Returns the connection and its frames a second.
    pub(super) fn open(_block: usize) -> Result<(Self, u32), NoDevice> {
        // Without a server nothing is begun.
        pulseaudio::socket_path_from_env().ok_or(NoDevice)?;
        let ended = Arc::default();
        Ok((Device { ended }, RATE))
    }

    /// Plays in the background: a server that is slow to answer holds no picture up.
    pub(super) fn start(&mut self, renderer: Renderer) -> Result<(), NoDevice> {
        let ended = Arc::clone(&self.ended);
        thread::Builder::new()
            .name("sound device".to_owned())
            .spawn(move || drop(play(renderer, ended)))
            .map(drop)
            .map_err(|_| NoDevice)
    }
}

impl Drop for Device {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

/// Plays until the end, or until the server is gone.
fn play(mut renderer: Renderer, ended: Arc<AtomicBool>) -> Result<(), ClientError> {
    let client = Client::from_env(c"Voxel sandbox")?;
    let mut frames = vec![0.0; 2 * MOST_FRAMES];
    let fill = move |bytes: &mut [u8]| {
        // Zero bytes end the stream.
        if ended.load(Ordering::Relaxed) {
            return 0;
        }
        fill(&mut renderer, &mut frames, bytes)
    };
    let stream = client.create_playback_stream(params(), fill.as_playback_source());
    let stream = pollster::block_on(stream)?;
    pollster::block_on(stream.source_eof())
}

/// Fills bytes with frames of the mix and returns how many were filled.
fn fill(renderer: &mut Renderer, frames: &mut [f32], bytes: &mut [u8]) -> usize {
    let count = (bytes.len() / FRAME_BYTES).min(MOST_FRAMES);
    let frames = &mut frames[..2 * count];
    renderer.on_start_processing();
    renderer.process(frames, 2);
    for (sample, place) in frames.iter().zip(bytes.chunks_exact_mut(4)) {
        place.copy_from_slice(&sample.to_le_bytes());
    }
    count * FRAME_BYTES
}

fn params() -> PlaybackStreamParams {
    PlaybackStreamParams {
        sample_spec: SampleSpec {
            format: SampleFormat::Float32Le,
            channels: 2,
            sample_rate: RATE,
        },
        channel_map: ChannelMap::stereo(),
        sink_name: Some(protocol::DEFAULT_SINK.to_owned()),
        cvolume: Some(ChannelVolume::norm(2)),
        buffer_attr: BufferAttr {
            target_length: WAITING * FRAME_BYTES as u32,
            ..BufferAttr::default()
        },
        flags: StreamFlags {
            adjust_latency: true,
            ..StreamFlags::default()
        },
        ..PlaybackStreamParams::default()
    }
}
