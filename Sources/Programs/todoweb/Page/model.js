// The page's model.

/// The only model. Read fields directly; write them with `set`, which notifies the listeners of changed fields once per frame.
export const model = {
  head: 0,
  /// The shown record; equals `head` while `live`.
  moment: 0,
  /// Whether the present is shown and followed.
  live: true,
  /// A second moment to compare with, or null.
  pinned: null,
  /// The selected record, or null for the one of the moment.
  record: null,
  /// The path of the selected value, or null.
  path: null,
  /// Whether writing is impossible: the program is read-only, or serves a log for inspection.
  readOnly: false,
  /// "up", "away" (daemon or web server not reachable) or "lost" (no token).
  connection: 'away',
  isSilent: false,
  /// The shown state, `{}` at first. Never mutated, so unchanged parts keep their identity.
  state: {},
  /// Whether only the first page of `state` is loaded.
  isPartial: false,
  /// The record of `state`; it follows `moment`.
  stateSequence: -1,
  /// The time of that record in microseconds since 1970; 0 for an empty log, null if unknown.
  stateTime: null,
  /// The record of the state with its changes; null until it is loaded.
  shown: null,
  /// The record of the log's base, or 0.
  base: 0,
  redactions: 0,
  /// The features as `{name, title, interface}`; a single-feature app has one with the name ''.
  features: [],
  /// The bookmarks as `{name, sequence, record}`.
  bookmarks: [],
  /// The undone steps: step -> the step that undid it.
  undone: new Map(),
  /// The edits of the what-if history, in the form of WhatIf.
  alterations: [],
  /// The epoch of the log; null before the first answer.
  epoch: null,

  /// Changes fields and notifies listeners in the next frame.
  set(fields) {
    for (const [name, value] of Object.entries(fields)) {
      if (Object.is(this[name], value)) continue;
      this[name] = value;
      changed.add(name);
    }
    if (changed.size > 0) schedule();
  },

  /// Calls `listener(model, changedNames)` in the frame after a change of these fields. Returns the function that removes it.
  on(names, listener) {
    const entry = { names: new Set([names].flat()), listener };
    listeners.add(entry);
    return () => listeners.delete(entry);
  },
};

/// Resolves when the next update is painted, or after 250 ms. Hidden pages are not painted.
export function painted() {
  return new Promise((resolve) => {
    if (document.hidden) return resolve();
    requestAnimationFrame(() => setTimeout(resolve));
    setTimeout(resolve, 250);
  });
}

const changed = new Set();
const listeners = new Set();
let isScheduled = false;

function schedule() {
  if (isScheduled) return;
  isScheduled = true;
  // Hidden pages have no frames.
  if (document.hidden) setTimeout(tell, 100);
  else requestAnimationFrame(tell);
}

function tell() {
  isScheduled = false;
  const names = new Set(changed);
  changed.clear();
  for (const { names: wanted, listener } of [...listeners]) {
    if (![...wanted].some((name) => names.has(name))) continue;
    // A failing panel must not stop the others.
    try { listener(model, names); } catch (error) { reportError(error); }
  }
}
