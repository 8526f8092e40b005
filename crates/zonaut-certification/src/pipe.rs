//! Writing to pipes and devices, which may block forever.

use crate::patience::Patience;
use std::fs::OpenOptions;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, TrySendError, sync_channel};
use std::thread;
use zonaut_engine::StopReason;

/// The number of buffered pieces of text.
const PIECES: usize = 16;

/// A pipe or a device, written by a separate thread. If writing blocks for too long, the thread is
/// abandoned and ends with the process.
#[derive(Debug)]
pub(crate) struct Pipe {
    pieces: Option<SyncSender<Vec<u8>>>,
    ended: Receiver<io::Result<()>>,
    patience: Patience,
}

impl Pipe {
    pub(crate) fn open(target: &Path, patience: Patience) -> io::Result<Self> {
        let (pieces, received) = sync_channel::<Vec<u8>>(PIECES);
        let (end, ended) = sync_channel(1);
        let target = target.to_owned();
        thread::Builder::new().name("certificate".into()).spawn(move || {
            // The receiver is gone if writing was given up.
            let _ = end.send(write_all(target, &received));
        })?;
        Ok(Self { pieces: Some(pieces), ended, patience })
    }

    /// Waits until everything is written.
    pub(crate) fn finish(&mut self) -> io::Result<()> {
        self.pieces = None;
        let ended = self.patience.wait(|| match self.ended.try_recv() {
            Ok(result) => result.map(Some),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => Err(io::Error::other("its writer ended early")),
        });
        ended?.map_err(given_up)
    }
}

fn write_all(target: PathBuf, pieces: &Receiver<Vec<u8>>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(target)?;
    pieces.iter().try_for_each(|piece| file.write_all(&piece))?;
    file.flush()
}

fn given_up(why: StopReason) -> io::Error {
    io::Error::new(io::ErrorKind::TimedOut, why.to_string())
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(pieces) = &self.pieces else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let mut piece = Some(bytes.to_vec());
        let sent = self.patience.wait(|| match piece.take().map(|piece| pieces.try_send(piece)) {
            Some(Err(TrySendError::Full(rest))) => {
                piece = Some(rest);
                Ok(None)
            }
            Some(Err(TrySendError::Disconnected(_))) => Ok(Some(false)),
            Some(Ok(())) | None => Ok(Some(true)),
        });
        match sent? {
            Ok(true) => Ok(bytes.len()),
            // The thread has ended, and `finish` returns its error.
            Ok(false) => self.finish().and(Err(io::ErrorKind::BrokenPipe.into())),
            Err(why) => Err(given_up(why)),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
