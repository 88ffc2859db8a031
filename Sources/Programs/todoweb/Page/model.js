// What the page shows, in one place.

/// The one model. Fields are read as they are and written by `set`, which tells the listeners of the fields that became others,
/// all of them once per frame.
export const model = {
  /// The last record of the log.
  head: 0,
  /// The record after which the state is shown; `head` while `live`.
  moment: 0,
  /// Whether the present is shown, and followed.
  live: true,
  /// A second moment to compare with, or null.
  pinned: null,
  /// `{sequence}` of a record, `{path, value}` of a value, or null.
  selection: null,
  /// Whether ids and raw fields are shown.
  developer: false,
  /// Whether nothing may be written: the program was started so, or serves a log for inspection.
  readOnly: false,
  /// "up", "away" (the daemon, or the program that serves the page, is gone) or "lost" (no token).
  connection: 'away',
  /// Whether the daemon is there and does not answer what it is asked.
  isSilent: false,
  /// The state that is shown, `{}` before the first; never changed in place: what is the same object has not changed.
  state: {},
  /// Whether only the first elements of the lists of `state` are here yet; the rest follows.
  isPartial: false,
  /// The record after which `state` is the state; it follows `moment` as soon as it is known.
  stateSequence: -1,
  /// The time of that record, in microseconds since 1970; 0 before the first, null while it is not known.
  stateTime: null,
  /// The state that was shown before it.
  previousState: {},
  /// The record after which the log begins, 0 if it has its first.
  base: 0,
  /// How often texts were taken out of its records.
  redactions: 0,
  /// The features, as `{name, title, interface}`; an app that is one feature has one with the name ''.
  features: [],
  /// The bookmarks: `{name, sequence, record}`.
  bookmarks: [],
  /// The steps that are taken back: step -> the step that undid it.
  undone: new Map(),
  /// The epoch of the sequences, null before the first answer.
  epoch: null,

  /// Changes fields, and tells their listeners in the next frame.
  set(fields) {
    for (const [name, value] of Object.entries(fields)) {
      if (Object.is(this[name], value)) continue;
      this[name] = value;
      changed.add(name);
    }
    if (changed.size > 0) schedule();
  },

  /// Calls `listener(model, changedNames)` in the frame after one of these fields changed. Returns what ends that.
  on(names, listener) {
    const entry = { names: new Set([names].flat()), listener };
    listeners.add(entry);
    return () => listeners.delete(entry);
  },
};

/// Longer than that nobody waits for a frame: there may be none any more.
const paintMilliseconds = 250;

/// Resolves when what the model tells next is painted.
export function painted() {
  return new Promise((resolve) => {
    // A page that nobody sees is not painted.
    if (document.hidden) return resolve();
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => { port1.close(); resolve(); };
    // A message that is sent in a frame comes when that is painted.
    requestAnimationFrame(() => port2.postMessage(null));
    setTimeout(resolve, paintMilliseconds);
  });
}

const changed = new Set();
const listeners = new Set();
let isScheduled = false;

function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  // A page that nobody sees has no frames.
  if (document.hidden) setTimeout(tell, 100);
  else requestAnimationFrame(tell);
}

function tell() {
  isScheduled = false;
  const names = new Set(changed);
  changed.clear();
  for (const { names: wanted, listener } of [...listeners]) {
    if (![...wanted].some((name) => names.has(name))) continue;
    // One panel that fails takes no other with it.
    try { listener(model, names); } catch (error) { reportError(error); }
  }
}
