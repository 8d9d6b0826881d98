//! Which processes of a snapshot belong to the tree: plain data in, plain data out.

use std::collections::HashMap;

/// One process, as seen in one look at the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
pub(super) struct Proc {
    pub(super) pid: u32,
    pub(super) parent: u32,
    pub(super) group: u32,
    pub(super) session: u32,
    /// When it started; with `pid` it names one process for ever.
    pub(super) start: u64,
    pub(super) life: Life,
    pub(super) mark: Mark,
}

/// Whether a process can still do anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
pub(super) enum Life {
    Running,
    /// Stopped by a signal or a tracer: it can start nothing until it is continued.
    Stopped,
    /// Dead, and not yet reaped.
    Zombie,
}

/// What its environment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(any(target_os = "linux", target_os = "android")), allow(dead_code))]
pub(super) enum Mark {
    /// It carries the run's marker.
    Ours,
    /// It does not, or we may not know, or it is older than the run.
    Other,
    /// It shows no environment at all, which is also how a process looks in the middle of an `exec`.
    Unsure,
}

/// Processes seen to belong to the tree: number to start time.
pub(super) type Known = HashMap<u32, u64>;

/// The tree's processes in `procs`, each once, zombies included.
///
/// `root` is the child while its number is held by us (it is not reaped); then its group is, too. `known` are members of earlier looks.
/// Linear in the number of processes.
pub(super) fn select(procs: &[Proc], root: Option<u32>, known: &Known, me: u32) -> Vec<Proc> {
    let mut children: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut groups: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut sessions: HashMap<u32, Vec<usize>> = HashMap::new();
    let mut queue = Vec::new();
    for (at, proc) in procs.iter().enumerate() {
        children.entry(proc.parent).or_default().push(at);
        groups.entry(proc.group).or_default().push(at);
        sessions.entry(proc.session).or_default().push(at);
        let ours = proc.mark == Mark::Ours
            || root.is_some_and(|root| proc.pid == root || proc.group == root)
            || known.get(&proc.pid) == Some(&proc.start);
        if ours {
            queue.push(at);
        }
    }
    let mut taken = vec![false; procs.len()];
    let mut members = Vec::new();
    while let Some(at) = queue.pop() {
        let (Some(proc), Some(taken)) = (procs.get(at), taken.get_mut(at)) else {
            continue;
        };
        if *taken || proc.pid <= 1 || proc.pid == me {
            continue;
        }
        *taken = true;
        members.push(*proc);
        // Removed when used: each list is walked once, however many ask for it.
        queue.extend(children.remove(&proc.pid).unwrap_or_default());
        if proc.group == proc.pid {
            queue.extend(groups.remove(&proc.pid).unwrap_or_default());
        }
        if proc.session == proc.pid {
            queue.extend(sessions.remove(&proc.pid).unwrap_or_default());
        }
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: u32 = 50;

    /// pid, parent, group, session; started at ten times its number.
    fn proc(pid: u32, parent: u32, group: u32, session: u32) -> Proc {
        Proc { pid, parent, group, session, start: u64::from(pid) * 10, life: Life::Running, mark: Mark::Other }
    }

    fn found(procs: &[Proc], root: Option<u32>, known: &Known) -> Vec<u32> {
        let mut pids: Vec<u32> = select(procs, root, known, ME).iter().map(|p| p.pid).collect();
        pids.sort_unstable();
        pids
    }

    /// init, a shell, us, a neighbour of ours, and the child 100 in a group of its own.
    fn host() -> Vec<Proc> {
        vec![proc(1, 0, 1, 1), proc(40, 1, 40, 40), proc(ME, 40, ME, 40), proc(60, ME, 60, 40), proc(100, ME, 100, 40)]
    }

    #[test]
    fn takes_descendants_whatever_their_session() {
        let mut procs = host();
        procs.extend([proc(101, 100, 100, 40), proc(102, 101, 102, 102), proc(103, 102, 103, 103)]);
        assert_eq!(found(&procs, Some(100), &Known::new()), [100, 101, 102, 103]);
    }

    #[test]
    fn takes_orphans_of_the_group_and_of_a_members_session() {
        let mut procs = host();
        // 110 is an orphan in the child's group; 111 leads a session, 112 is an orphan in it.
        procs.extend([proc(110, 1, 100, 40), proc(111, 110, 111, 111), proc(112, 1, 105, 111)]);
        assert_eq!(found(&procs, Some(100), &Known::new()), [100, 110, 111, 112]);
    }

    #[test]
    fn a_child_that_changed_its_group_still_holds_the_first_one() {
        let procs = [proc(100, ME, 99, 40), proc(110, 1, 100, 40)];
        assert_eq!(found(&procs, Some(100), &Known::new()), [100, 110]);
    }

    #[test]
    fn takes_marked_orphans_and_their_children() {
        let mut procs = host();
        procs.extend([
            Proc { mark: Mark::Ours, ..proc(120, 1, 120, 120) },
            proc(121, 120, 121, 121),
            proc(122, 1, 122, 122),
        ]);
        assert_eq!(found(&procs, None, &Known::new()), [120, 121]);
    }

    #[test]
    fn known_processes_count_only_with_their_start_time() {
        let mut procs = host();
        procs.extend([proc(130, 1, 130, 130), proc(131, 1, 131, 131)]);
        let known = Known::from([(130, 1300), (131, 7)]);
        assert_eq!(found(&procs, None, &known), [130]);
    }

    #[test]
    fn a_reaped_childs_number_means_nothing() {
        let mut procs = host();
        procs.push(proc(101, 100, 100, 40));
        assert_eq!(found(&procs, None, &Known::new()), [0; 0]);
    }

    #[test]
    fn never_takes_init_or_the_caller() {
        let mut procs = host();
        for proc in &mut procs {
            proc.mark = Mark::Ours;
        }
        assert_eq!(found(&procs, None, &Known::new()), [40, 60, 100]);
    }

    #[test]
    fn parent_circles_end() {
        let procs = [proc(100, 101, 100, 100), proc(101, 100, 100, 100)];
        assert_eq!(found(&procs, Some(100), &Known::new()), [100, 101]);
    }
}
