// Loads the state at the shown moment: completely, or as a difference from a cached state.

import { addPage, applyChanges } from './changes.js';
import { painted } from './model.js';
import { momentForms, pointOf } from './momentwords.js';
import { WireError, ask, away, stream } from './wire.js';

/// Maximum number of cached states. A state of 10,000 todos takes some megabytes, but states share their unchanged parts.
const statesMax = 12;
/// Maximum distance, in records, for loading a difference instead of the state.
const nearRecordsMax = 4096;
/// With more changes the state itself is faster.
const changesMax = 8192;
/// A newer wish aborts a request only after this time without a shown state, so that a drag always shows something.
const patienceMilliseconds = 1000;
/// Minimum interval between loads of the present.
const followMilliseconds = 80;
const pruned = 'org.todod.Store.PrunedSequence';
const againMilliseconds = 1000;

/// Keeps `model.state` at the wished moment. Returns a function that loads it immediately, without waiting for the next frame.
/// `onError(error)` reports why a moment can't be shown, `onShown()` that one is shown again.
export function followMoment(model, { onError, onShown }) {
  const known = new Map();
  let running = null;
  let refused = null;
  let again = null;
  let isTold = false;
  let pause = null;
  let lastShown = 0;

  model.on(['moment', 'epoch', 'connection', 'head', 'base', 'redactions'], (_, names) => {
    if (names.has('epoch') || names.has('redactions')) forget();
    if (names.has('connection') && model.connection === 'up') retry();
    wish();
  });
  return wish;

  function forget() {
    known.clear();
    running?.abort.abort();
    running = null;
    model.set({ stateSequence: -1 });
    retry();
  }

  function retry() {
    clearTimeout(again);
    again = refused = null;
  }

  function askAgain() {
    again = null;
    // The connection reports when the daemon is back.
    if (model.connection !== 'up') return;
    retry();
    wish();
  }

  function isRefused() {
    return refused !== null && (again !== null || refused.moment === model.moment && refused.head === model.head);
  }

  function wish() {
    if (model.epoch === null || model.stateSequence === model.moment && !model.isPartial) return;
    if (known.has(model.moment)) return show(model.moment, known.get(model.moment));
    if (isRefused()) return;
    if (running === null) {
      const left = model.live && model.stateSequence >= 0 ? lastShown + followMilliseconds - performance.now() : 0;
      if (left <= 0) run(model.moment);
      else pause ??= setTimeout(() => { pause = null; wish(); }, left);
      return;
    }
    if (running.sequence === model.moment) return;
    const left = running.hasShown && !model.live ? 0 : running.began + patienceMilliseconds - performance.now();
    if (left <= 0) { running.abort.abort(); running = null; run(model.moment); } else running.timer ??= setTimeout(wish, left);
  }

  async function run(sequence) {
    const mine = { sequence, began: performance.now(), abort: new AbortController(), epoch: model.epoch };
    running = mine;
    try {
      const found = await fetchState(sequence, mine);
      if (isCurrent(mine)) show(sequence, found);
    } catch (error) {
      if (!isCurrent(mine) || error.name === 'AbortError') return;
      refuse(sequence, error);
    } finally {
      clearTimeout(mine.timer);
      if (running === mine) { running = null; wish(); }
    }
  }

  // The epoch changes one frame before this is notified.
  function isCurrent(mine) { return running === mine && mine.epoch === model.epoch; }

  function refuse(moment, error) {
    clearTimeout(again);
    again = null;
    refused = { moment, head: model.head };
    if (error.isTemporary === true) again = setTimeout(askAgain, againMilliseconds);
    isTold = true;
    onError(error);
  }

  async function fetchState(sequence, mine) {
    const { signal } = mine.abort;
    const near = nearest(sequence);
    if (near !== null && Math.abs(near - sequence) <= nearRecordsMax) {
      const { state } = known.get(near);
      const changes = await difference(near, sequence, signal);
      if (changes !== null) return { state: applyChanges(state, changes), time: null };
    }
    let state = null;
    let time = null;
    let pages = 0;
    await stream('GetState', { at: { sequence } }, (reply, continues) => {
      if (reply.epoch !== mine.epoch) throw new WireError(away);
      time ??= reply.time ?? null;
      state = state === null ? reply.state : addPage(state, reply.state);
      // The first page contains the visible rows. It is shown before the rest is loaded, which a newer wish may abort.
      if (!continues || !isCurrent(mine) || ++pages !== 2) return null;
      mine.hasShown = true;
      showPart(sequence, state, time);
      wish();
      return painted();
    }, { signal });
    return { state, time };
  }

  async function difference(from, to, signal) {
    const inner = new AbortController();
    const stop = () => inner.abort();
    signal.addEventListener('abort', stop);
    const changes = [];
    try {
      await stream('Diff', { from: { sequence: from }, to: { sequence: to } }, (reply) => {
        for (const change of reply.changes ?? []) changes.push(change);
        if (changes.length > changesMax) inner.abort();
      }, { signal: inner.signal });
    } catch (error) {
      if (signal.aborted) throw error;
      if (error.name === 'AbortError') return null;
      if (error.name !== pruned) throw error;
      // The cached state may have left the log while the wished one is still there.
      known.delete(from);
      return null;
    } finally {
      signal.removeEventListener('abort', stop);
    }
    return changes.length > changesMax ? null : changes;
  }

  function nearest(sequence) {
    let best = null;
    for (const other of known.keys()) if (best === null || Math.abs(other - sequence) < Math.abs(best - sequence)) best = other;
    return best;
  }

  function keep(sequence, found) {
    known.delete(sequence);
    known.set(sequence, found);
    while (known.size > statesMax) known.delete(known.keys().next().value);
  }

  function showPart(sequence, state, time) {
    lastShown = performance.now();
    model.set({ state, isPartial: true, stateSequence: sequence, stateTime: time });
  }

  function show(sequence, { state, time }) {
    keep(sequence, { state, time });
    lastShown = performance.now();
    model.set({ state, isPartial: false, stateSequence: sequence, stateTime: time ?? (sequence === 0 ? 0 : null) });
    retry();
    if (isTold) { isTold = false; onShown(); }
  }
}

/// Resolves a moment in words to a sequence number. Throws a message.
export async function pointInWords(words, model) {
  const point = pointOf(words, new Date());
  const record = point.back === undefined ? point.sequence : model.head - point.back;
  if (record !== undefined) return Math.max(0, record - (point.before ?? 0));
  try {
    return (await ask('Diff', { from: point, to: point })).from;
  } catch (error) {
    if (error.name === 'org.todod.Store.UnknownBookmark') throw new Error(`“${words.trim()}” is no moment. ${momentForms}`);
    throw error;
  }
}
