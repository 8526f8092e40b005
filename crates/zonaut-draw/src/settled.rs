//! Removal of overlaps between labels.
//!
//! Authors place labels for the font of another program. A label that would overlap one that is
//! placed already, or a node, moves to the nearest free position. If none is near, it moves
//! downwards until it is free.

use crate::geometry::Rect;
use crate::placed::Text;
use crate::text::LINE;

/// Maximum number of labels: more are not moved.
const MAX_LABELS: usize = 1500;
/// Maximum movement of a label, in lines and in fractions of its width.
const REACH: i32 = 8;

/// Moves labels apart, and away from `obstacles`.
pub(crate) fn settle(texts: &mut [&mut Text], obstacles: &[Rect]) {
    if texts.len() > MAX_LABELS || is_forgotten() {
        return;
    }
    let mut taken: Vec<Rect> = obstacles.to_vec();
    let tries = tries();
    for text in texts {
        let area = text.area();
        let step = (area.width() / 4.0).max(10.0);
        let moved = |&(x, y): &(i32, i32)| (f64::from(x) * step, f64::from(y) * LINE / 2.0);
        let is_free = |&(x, y): &(f64, f64)| {
            let there = Rect {
                left: area.left + x,
                top: area.top + y,
                right: area.right + x,
                bottom: area.bottom + y,
            };
            !taken.iter().any(|other| other.overlaps(there))
        };
        let far = (1..=taken.len() + 1).map(|lines| (0.0, (lines as f64 + 4.0) * LINE));
        if let Some((x, y)) = tries.iter().map(moved).chain(far).find(is_free) {
            text.corner = text.corner.moved(x, y);
        }
        taken.push(text.area());
    }
}

fn is_forgotten() -> bool {
    #[cfg(feature = "faults")]
    if crate::faults::Fault::LabelsNotSettled.is_selected() {
        return true;
    }
    false
}

/// Movements to try, the shortest first.
fn tries() -> Vec<(i32, i32)> {
    let all = -REACH..=REACH;
    let mut tries: Vec<(i32, i32)> =
        all.clone().flat_map(|x| all.clone().map(move |y| (x, y))).collect();
    tries.sort_by_key(|&(x, y)| (x * x * 2 + y * y, y < 0, x < 0));
    tries
}
