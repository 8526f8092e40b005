use super::*;
use std::io::{Read, Write};

fn token(text: &str) -> Token {
    Token::from_reader(text.as_bytes()).expect("a token")
}

fn terms(processes: usize) -> Terms {
    let (version, digest) = ("1".to_owned(), "d".to_owned());
    Terms { version, digest, options: "bfs".to_owned(), processes }
}

const SECRET: &str = "a token of sixteen bytes";

fn waiting(processes: usize) -> (Waiting, SocketAddr) {
    let loopback: SocketAddr = "127.0.0.1:0".parse().expect("an address");
    let waiting = Waiting::listen(&[loopback], token(SECRET), terms(processes), Vec::new());
    let waiting = waiting.expect("a port");
    let address = waiting.address().expect("an address");
    (waiting, address)
}

fn member(address: SocketAddr, process: usize, processes: usize) -> Result<Star, ClusterError> {
    Star::join(&[address], process, &token(SECRET), &terms(processes), Vec::new(), || false)
}

/// The stars of all processes.
fn stars(processes: usize) -> Vec<Star> {
    let (waiting, address) = waiting(processes);
    thread::scope(|scope| {
        let others: Vec<_> = (1..processes)
            .map(|process| scope.spawn(move || member(address, process, processes)))
            .collect();
        let first = waiting.accept(|| false).expect("all join");
        let others = others.into_iter().map(|one| one.join().expect("no panic").expect("joined"));
        std::iter::once(first).chain(others).collect()
    })
}

fn exchange(star: &Star, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, StopReason> {
    star.send(messages)?;
    star.receive()
}

#[test]
fn messages_arrive_in_every_round() {
    for processes in [2, 3, 5] {
        let stars = stars(processes);
        thread::scope(|scope| {
            for star in &stars {
                scope.spawn(move || {
                    let own = star.place().process;
                    for round in 0..20_usize {
                        let text = |from: usize, to: usize| {
                            vec![from as u8; (round * 7919 * (to + 1)) % 100_000]
                        };
                        let sent = (0..processes).map(|to| text(own, to)).collect();
                        let received = exchange(star, sent).expect("messages");
                        for (from, message) in received.iter().enumerate() {
                            assert!(from == own || *message == text(from, own));
                        }
                    }
                });
            }
        });
    }
}

#[test]
fn a_process_that_ends_is_named_to_all() {
    let mut stars = stars(3);
    drop(stars.pop());
    let messages = || vec![Vec::new(); 3];
    thread::scope(|scope| {
        let other = scope.spawn(|| exchange(&stars[1], messages()));
        assert_eq!(exchange(&stars[0], messages()), Err(StopReason::Cancelled));
        assert_eq!(other.join().expect("no panic"), Err(StopReason::Cancelled));
    });
    assert_eq!(stars[0].failure().as_deref(), Some("process 2 has ended"));
    assert_eq!(stars[1].failure().as_deref(), Some("process 2 has ended"));
}

#[test]
fn wrong_tokens_terms_and_numbers_are_refused_and_garbage_does_not_matter() {
    let (waiting, address) = waiting(3);
    thread::scope(|scope| {
        let first = scope.spawn(move || waiting.accept(|| false));
        for garbage in [&b"GET / HTTP/1.1\r\n\r\n"[..], &[0; 4000], b"zonaut-1"] {
            let mut stream = TcpStream::connect(address).expect("a connection");
            let _ = stream.write_all(garbage);
            let _ = stream.read(&mut [0; 16]);
        }
        let join = |process, token: &Token, terms: &Terms| {
            let joined = Star::join(&[address], process, token, terms, Vec::new(), || false);
            joined.expect_err("a refusal")
        };
        let right = token(SECRET);
        let is_input = |refused: &ClusterError, part: &str| matches!(refused, ClusterError::Input(text) if text.contains(part));
        let refused = join(1, &token("another token of some bytes"), &terms(3));
        assert!(is_input(&refused, "another token"), "{refused}");
        for (wrong, part) in [
            (Terms { version: "2".into(), ..terms(3) }, "version 2"),
            (Terms { digest: "e".into(), ..terms(3) }, "model"),
            (Terms { options: "dfs".into(), ..terms(3) }, "options `dfs`"),
            (terms(4), "4 processes"),
        ] {
            let refused = join(1, &right, &wrong);
            assert!(is_input(&refused, part), "{refused}");
        }
        let one = member(address, 1, 3).expect("joined");
        let refused = join(1, &right, &terms(3));
        assert!(is_input(&refused, "joined already"), "{refused}");
        for wrong in [0, 3] {
            let refused = join(wrong, &right, &terms(3));
            assert!(is_input(&refused, "no process"), "{refused}");
        }
        let two = member(address, 2, 3).expect("joined");
        assert_eq!(first.join().expect("no panic").expect("joined").place().processes, 3);
        drop((one, two));
    });
    assert!(TcpStream::connect(address).is_err(), "nothing listens any more");
}

#[test]
fn a_port_in_use_is_named() {
    let (_waiting, address) = waiting(2);
    let names = vec![address.to_string()];
    let second = Waiting::listen(&[address], token(SECRET), terms(2), names);
    let refused = second.expect_err("the port is in use");
    assert!(refused.to_string().contains(&address.to_string()), "{refused}");
}

#[test]
fn waiting_can_be_cancelled() {
    let (waiting, _) = waiting(2);
    let cancelled = waiting.accept(|| true).expect_err("cancelled");
    assert!(matches!(cancelled, ClusterError::Lost(_)), "{cancelled}");
}
