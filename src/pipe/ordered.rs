//! Fan out and in, in input order, for any kind of job; no bytes and no lines in it.
//!
//! For each job the reading side makes a one-shot slot, puts the slot's receiver on the draining side's queue, and
//! gives job and sender to the pool. The draining side waits on the oldest slot. So order holds by construction and
//! nothing is sorted; a worker that dies drops its sender, which cannot be taken for an answer.
//!
//! ```text
//!   ┌────────────── free jobs ◄──────────────┐
//!   ▼                                        │
//! fill ──job, sender──► pool: work ──slot──► drain
//!   └───────────────── receivers, in order ──►
//! ```

use std::fmt;
use std::io;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel, sync_channel};
use std::thread;

use rayon::{Scope, ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// What a fill came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum More {
    /// The job is filled: work on it.
    Job,
    /// There are no more jobs; this one was not filled.
    End,
}

/// Why a run ended early.
///
/// Every job before the failure has been drained, none after it.
#[derive(Debug)]
pub enum Fault<F, D> {
    /// The fill failed.
    Fill(F),
    /// The drain failed.
    Drain(D),
    /// A fill or a piece of work panicked. Its message may quote what was worked on and is not kept.
    Panicked(Part),
    /// The reading thread could not be started.
    Thread(io::Error),
}

/// The part of a run that panicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The fill.
    Reader,
    /// The work.
    Worker,
}

impl<F: fmt::Display, D: fmt::Display> fmt::Display for Fault<F, D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fill(error) => error.fmt(f),
            Self::Drain(error) => error.fmt(f),
            Self::Panicked(Part::Reader) => {
                f.write_str("the reader failed inside; what it read last is not written")
            }
            Self::Panicked(Part::Worker) => {
                f.write_str("a worker failed inside; its block and later ones are not written")
            }
            Self::Thread(error) => write!(f, "cannot start the reading thread: {error}"),
        }
    }
}

impl<F: std::error::Error + 'static, D: std::error::Error + 'static> std::error::Error for Fault<F, D> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Fill(error) => Some(error),
            Self::Drain(error) => Some(error),
            Self::Panicked(_) => None,
            Self::Thread(error) => Some(error),
        }
    }
}

/// A pool of workers to run ordered work on, and how many jobs may be under way at a time.
#[derive(Debug)]
pub struct Ordered {
    pool: ThreadPool,
    jobs: NonZeroUsize,
}

impl Ordered {
    /// Returns a pool of `threads` workers. Two more threads take part in a run, one that fills and the caller's,
    /// which drains; both mostly wait. As many jobs are made as keep all of them busy. One worker is no special case:
    /// it works while the next job is filled and the one before is drained.
    ///
    /// # Errors
    /// When the threads cannot be started.
    pub fn new(threads: NonZeroUsize) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads.get())
            .thread_name(|n| format!("worker-{n}"))
            .build()?;
        Ok(Self { pool, jobs: threads.saturating_add(2) })
    }

    /// The number of worker threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// The largest number of jobs that a run makes, which bounds what it holds.
    pub fn jobs(&self) -> usize {
        self.jobs.get()
    }

    /// Runs jobs until `fill` says that there are no more: each is filled on a thread of its own, worked on in the
    /// pool and drained on the caller's thread. Jobs are drained in the order in which they were filled.
    ///
    /// A job is made by `make` only while every one made before is in use, and is used again after its drain: what it
    /// allocated stays. A slow drain holds up the fill.
    ///
    /// When `drain` fails or `work` panics, `interrupt` is called once, so that a `fill` that waits for something can
    /// be made to return; no job is drained after that. Two runs can be put in a row (the drain of one hands to the
    /// fill of the other, on another thread, over bounded channels) and may share the pool, whose workers never wait:
    /// then the interrupt of each stops the reader at the front.
    ///
    /// Not to be called from a worker of the same pool.
    ///
    /// # Errors
    /// The first thing that failed, in the order of the jobs.
    pub fn run<J: Send, F: Send, D>(
        &self,
        make: impl FnMut() -> J + Send,
        fill: impl FnMut(&mut J) -> Result<More, F> + Send,
        work: impl Fn(&mut J) + Sync,
        drain: impl FnMut(&mut J) -> Result<(), D>,
        interrupt: impl Fn(),
    ) -> Result<(), Fault<F, D>> {
        let abandoned = AtomicBool::new(false);
        let (queue_in, queue) = channel();
        let (free_in, free) = channel();
        let feed = Feed { free, queue: queue_in, made: 0, limit: self.jobs.get(), abandoned: &abandoned };
        let work = &work;
        self.pool.in_place_scope(|pool| {
            thread::scope(|threads| {
                let mut abandon = Abandon { flag: &abandoned, interrupt, armed: true };
                let reader = thread::Builder::new()
                    .name("reader".to_owned())
                    .spawn_scoped(threads, move || feed.run(pool, make, fill, work));
                let reader = match reader {
                    Ok(reader) => reader,
                    Err(error) => return Err(Fault::Thread(error)),
                };
                drain_in_order(queue, free_in, drain)?;
                // The queue is at its end, so the reader is.
                abandon.armed = false;
                match reader.join() {
                    Ok(filled) => filled.map_err(Fault::Fill),
                    Err(_) => Err(Fault::Panicked(Part::Reader)),
                }
            })
        })
    }
}

/// Ends the reading side when the draining side ends before it, be it by an error or by a panic.
struct Abandon<'a, I: Fn()> {
    flag: &'a AtomicBool,
    interrupt: I,
    armed: bool,
}

impl<I: Fn()> Drop for Abandon<'_, I> {
    fn drop(&mut self) {
        if self.armed {
            self.flag.store(true, Ordering::Release);
            (self.interrupt)();
        }
    }
}

/// The reading side.
struct Feed<'a, J> {
    free: Receiver<J>,
    queue: Sender<Receiver<J>>,
    made: usize,
    limit: usize,
    abandoned: &'a AtomicBool,
}

impl<'a, J: Send + 'a> Feed<'a, J> {
    fn run<F>(
        mut self,
        pool: &Scope<'a>,
        mut make: impl FnMut() -> J,
        mut fill: impl FnMut(&mut J) -> Result<More, F>,
        work: &'a (impl Fn(&mut J) + Sync),
    ) -> Result<(), F> {
        let abandoned = self.abandoned;
        while let Some(mut job) = self.next_job(&mut make) {
            if fill(&mut job)? == More::End {
                break;
            }
            let (done, slot) = sync_channel(1);
            if self.queue.send(slot).is_err() {
                break;
            }
            pool.spawn(move |_| {
                // A job that is not sent on says by the dropped sender that it was not finished.
                if !abandoned.load(Ordering::Acquire)
                    && catch_unwind(AssertUnwindSafe(|| work(&mut job))).is_ok()
                {
                    let _ = done.send(job);
                }
            });
        }
        Ok(())
    }

    /// Returns a job to fill, waiting for one if as many as may be are in use; none if the draining side is gone.
    fn next_job(&mut self, make: &mut impl FnMut() -> J) -> Option<J> {
        match self.free.try_recv() {
            Ok(job) => Some(job),
            Err(TryRecvError::Empty) if self.made < self.limit => {
                self.made += 1;
                Some(make())
            }
            Err(TryRecvError::Empty) => self.free.recv().ok(),
            Err(TryRecvError::Disconnected) => None,
        }
    }
}

/// The draining side. Both channels are owned here, so that they close when it returns or unwinds.
#[expect(clippy::needless_pass_by_value, reason = "dropping them is how the reading side learns of the end")]
fn drain_in_order<J, F, D>(
    queue: Receiver<Receiver<J>>,
    free: Sender<J>,
    mut drain: impl FnMut(&mut J) -> Result<(), D>,
) -> Result<(), Fault<F, D>> {
    for slot in &queue {
        let Ok(mut job) = slot.recv() else { return Err(Fault::Panicked(Part::Worker)) };
        drain(&mut job).map_err(Fault::Drain)?;
        // The reading side may have gone already, at the end of the input.
        let _ = free.send(job);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::io::Write;
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;
    use std::time::{Duration, Instant};

    use super::super::block::Block;
    use super::super::input::Input;
    use super::super::reader::{BlockReader, Limits, ReadError};
    use super::super::stop::Stop;
    use super::*;
    use rustix::pipe::{PipeFlags, pipe_with};

    fn ordered(threads: usize) -> Ordered {
        Ordered::new(NonZeroUsize::new(threads).unwrap()).unwrap()
    }

    #[derive(Debug, PartialEq)]
    struct Failed;

    /// A fill that gives the numbers below `end`.
    fn numbers(end: u64) -> impl FnMut(&mut u64) -> Result<More, Failed> {
        let mut next = 0;
        move |job| {
            if next == end {
                return Ok(More::End);
            }
            *job = next;
            next += 1;
            Ok(More::Job)
        }
    }

    /// A delay that differs from one number to the next, some of them long.
    fn delay(number: u64) {
        let random = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        thread::sleep(Duration::from_micros(if random.is_multiple_of(17) { 3000 } else { random % 200 }));
    }

    #[test]
    fn the_order_holds_whatever_the_work_takes() {
        for threads in [1, 2, 8] {
            let mut drained = Vec::new();
            let ordered = ordered(threads);
            ordered
                .run(
                    || 0,
                    numbers(600),
                    |job| {
                        delay(*job);
                        *job += 1000;
                    },
                    |&mut job| {
                        drained.push(job);
                        Ok::<_, Failed>(())
                    },
                    || panic!("nothing to interrupt"),
                )
                .unwrap();
            assert_eq!(drained, (1000..1600).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nothing_to_do_is_fine() {
        let made = AtomicUsize::new(0);
        let job = || made.fetch_add(1, Ordering::Relaxed);
        ordered(2).run(job, |_| Ok::<_, Failed>(More::End), |_| {}, |_| Ok::<_, Failed>(()), || {}).unwrap();
        assert_eq!(made.into_inner(), 1);
    }

    #[test]
    fn a_slow_drain_holds_up_the_fill_and_jobs_are_used_again() {
        let ordered = ordered(2);
        let (made, filled, drained) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicUsize::new(0));
        let mut left = 200;
        ordered
            .run(
                || made.fetch_add(1, Ordering::SeqCst),
                |_| {
                    if left == 0 {
                        return Ok::<_, Failed>(More::End);
                    }
                    left -= 1;
                    let ahead = filled.fetch_add(1, Ordering::SeqCst) + 1 - drained.load(Ordering::SeqCst);
                    assert!(ahead <= ordered.jobs() + 1, "{ahead} jobs under way");
                    Ok(More::Job)
                },
                |_| {},
                |_| {
                    thread::sleep(Duration::from_micros(200));
                    drained.fetch_add(1, Ordering::SeqCst);
                    Ok::<_, Failed>(())
                },
                || {},
            )
            .unwrap();
        assert_eq!(drained.into_inner(), 200);
        assert!(made.into_inner() <= ordered.jobs());
    }

    #[test]
    fn a_worker_that_panics_is_one_error_and_nothing_after_it_is_drained() {
        for threads in [1, 2, 8] {
            for bad in [0, 37, 99] {
                let (mut drained, interrupted) = (Vec::new(), AtomicUsize::new(0));
                let fault = ordered(threads)
                    .run(
                        || 0,
                        numbers(100),
                        |&mut job| assert_ne!(job, bad, "on purpose"),
                        |&mut job| {
                            drained.push(job);
                            Ok::<_, Failed>(())
                        },
                        || {
                            interrupted.fetch_add(1, Ordering::SeqCst);
                        },
                    )
                    .unwrap_err();
                assert!(matches!(fault, Fault::Panicked(Part::Worker)));
                assert_eq!(drained, (0..bad).collect::<Vec<_>>());
                assert_eq!(interrupted.into_inner(), 1);
            }
        }
    }

    #[test]
    fn a_fill_that_fails_or_panics_comes_after_what_it_filled() {
        for panics in [false, true] {
            let (mut drained, mut next) = (Vec::new(), 0);
            let fault = ordered(2)
                .run(
                    || 0,
                    |job| {
                        *job = next;
                        next += 1;
                        assert!(next < 30 || !panics, "on purpose");
                        if next < 30 { Ok(More::Job) } else { Err(Failed) }
                    },
                    |&mut job| delay(job),
                    |&mut job| {
                        drained.push(job);
                        Ok::<_, Failed>(())
                    },
                    || panic!("the reading side is gone"),
                )
                .unwrap_err();
            assert!(matches!(fault, Fault::Fill(Failed) | Fault::Panicked(Part::Reader)));
            assert_eq!(matches!(fault, Fault::Fill(_)), !panics);
            assert_eq!(drained, (0..29).collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_drain_that_panics_does_not_hang() {
        let stop = Stop::new().unwrap();
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        rustix::io::write(&write, b"a\n").unwrap();
        let mut reader =
            BlockReader::new([Input::from_fd(read)].into_iter(), Limits::default(), stop.clone());
        let caught = catch_unwind(AssertUnwindSafe(|| {
            ordered(2).run(
                Block::new,
                |block| reader.fill(block),
                |_| {},
                |_| -> Result<(), Failed> { panic!("on purpose") },
                || stop.request(),
            )
        }));
        assert!(caught.is_err());
    }

    #[test]
    fn a_drain_that_fails_wakes_a_reader_of_a_silent_input() {
        for threads in [1, 2] {
            let stop = Stop::new().unwrap();
            let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
            rustix::io::write(&write, b"a\nb").unwrap();
            let mut reader =
                BlockReader::new([Input::from_fd(read)].into_iter(), Limits::default(), stop.clone());
            let begun = Instant::now();
            let fault = ordered(threads)
                .run(
                    Block::new,
                    |block| reader.fill(block),
                    |_| {},
                    |_| {
                        // Time for the reader to begin its wait.
                        thread::sleep(Duration::from_millis(30));
                        Err(Failed)
                    },
                    || stop.request(),
                )
                .unwrap_err();
            assert!(matches!(fault, Fault::Drain(Failed)));
            assert!(begun.elapsed() < Duration::from_secs(10));
            drop(write);
        }
    }

    #[test]
    fn a_stop_drains_what_was_read() {
        let stop = Stop::new().unwrap();
        let (read, write) = pipe_with(PipeFlags::CLOEXEC).unwrap();
        let mut write = std::fs::File::from(write);
        let mut reader =
            BlockReader::new([Input::from_fd(read)].into_iter(), Limits::default(), stop.clone());
        let (mut drained, seen) = (Vec::new(), AtomicUsize::new(0));
        thread::scope(|threads| {
            threads.spawn(|| {
                for n in 0..50 {
                    writeln!(write, "{n}").unwrap();
                }
                while seen.load(Ordering::SeqCst) < 50 {
                    thread::yield_now();
                }
                write.write_all(b"half a li").unwrap();
                stop.request();
            });
            ordered(2)
                .run(
                    Block::new,
                    |block| {
                        let more = reader.fill(block);
                        seen.fetch_add(block.lines().count(), Ordering::SeqCst);
                        more
                    },
                    |_| delay(17),
                    |block| {
                        drained.extend(block.lines().map(|line| line.number()));
                        Ok::<_, Failed>(())
                    },
                    || {},
                )
                .unwrap();
        });
        assert_eq!(drained, (1..=50).collect::<Vec<_>>());
    }

    /// Two runs in a row on one pool, as an import does it: split in parallel, pair up in order, work in parallel.
    #[test]
    fn two_runs_in_a_row_share_a_pool_and_keep_the_order() {
        for (threads, fails) in [(1, false), (2, false), (8, false), (1, true), (2, true)] {
            let ordered = ordered(threads);
            let stopped = AtomicBool::new(false);
            let (hand, take) = sync_channel::<u64>(2);
            let mut drained = Vec::new();
            let (first, second) = thread::scope(|scope| {
                let first = scope.spawn(|| {
                    let hand = hand;
                    let mut next = numbers(300);
                    ordered.run(
                        || 0,
                        |job| if stopped.load(Ordering::SeqCst) { Ok(More::End) } else { next(job) },
                        |job| {
                            delay(*job);
                            *job *= 2;
                        },
                        |&mut job| hand.send(job).map_err(|_| Failed),
                        || {},
                    )
                });
                let second = ordered.run(
                    || 0,
                    move |job| {
                        Ok::<_, Failed>(match take.recv() {
                            Ok(number) => {
                                *job = number;
                                More::Job
                            }
                            Err(_) => More::End,
                        })
                    },
                    |job| {
                        delay(*job);
                        *job += 1;
                    },
                    |&mut job| {
                        drained.push(job);
                        if fails && drained.len() == 100 { Err(Failed) } else { Ok(()) }
                    },
                    || stopped.store(true, Ordering::SeqCst),
                );
                (first.join().unwrap(), second)
            });
            let end = if fails { 100 } else { 300 };
            assert_eq!(drained, (0..end).map(|n| n * 2 + 1).collect::<Vec<_>>());
            assert_eq!(second.is_err(), fails);
            assert!(fails || first.is_ok());
        }
    }

    #[test]
    fn the_work_is_done_on_several_threads() {
        let seen = Mutex::new(HashSet::new());
        let work = |_: &mut u64| {
            thread::sleep(Duration::from_millis(2));
            seen.lock().unwrap().insert(thread::current().id());
        };
        ordered(3).run(|| 0, numbers(30), work, |_| Ok::<_, Failed>(()), || {}).unwrap();
        assert!(seen.into_inner().unwrap().len() > 1);
    }

    #[test]
    fn faults_say_what_happened_and_quote_nothing() {
        let read =
            Fault::<ReadError, io::Error>::Fill(ReadError { source: 0, error: io::Error::other("broken") });
        assert_eq!(read.to_string(), "input 1: broken");
        let worker = Fault::<ReadError, io::Error>::Panicked(Part::Worker);
        assert_eq!(worker.to_string(), "a worker failed inside; its block and later ones are not written");
    }
}
