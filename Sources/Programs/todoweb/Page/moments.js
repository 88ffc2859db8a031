// Loads the state at the shown moment: completely, or as a difference from a cached state.

import { addPage, applyChanges } from './changes.js';
import { painted } from './model.js';
import { momentForms, pointOf } from './momentwords.js';
import { newest } from './panel.js';
import { WireError, ask, away, stream } from './wire.js';

/// Maximum number of cached states. A state of 10,000 todos takes some megabytes, but states share their unchanged parts.
const statesMax = 12;
/// Maximum distance, in records, for loading a difference instead of the state.
const nearRecordsMax = 4096;
/// With more changes the state itself is faster.
const changesMax = 8192;
/// A newer wish aborts a request only after this time, so that a drag always shows something.
const patienceMilliseconds = 1000;
/// Minimum interval between loads of the present.
const followMilliseconds = 80;
const pruned = 'org.todod.Store.PrunedSequence';
const againMilliseconds = 1000;

/// Keeps `model.state` at the wished moment. Returns a function that loads it immediately, without waiting for the next frame.
/// `onError(error)` reports why a moment can't be shown, `onShown()` that one is shown again.
export function followMoment(model, { onError, onShown }) {
  const known = new Map();
  let loading = null;
  let isTold = false;
  // The refused moment; it is not asked for again until the log grows, or a timer ends.
  let refused = null;
  const question = newest({ pause: () => model.live && model.stateSequence >= 0 ? followMilliseconds : 0,
    patience: patienceMilliseconds, run: load, onError });
  model.on(['moment', 'epoch', 'connection', 'head', 'base', 'redactions'], (_, names) => {
    const isOther = names.has('epoch') || names.has('redactions');
    if (isOther) { known.clear(); stop(); model.set({ stateSequence: -1 }); }
    if (isOther || names.has('connection') && model.connection === 'up') forgive();
    wish();
  });
  return wish;

  function wish() {
    const { moment, head } = model;
    if (model.epoch === null || model.stateSequence === moment && !model.isPartial || loading === moment) return;
    if (known.has(moment)) { stop(); return show(moment, known.get(moment)); }
    const isRefused = refused !== null && (refused.timer !== undefined || refused.moment === moment && refused.head === head);
    if (!isRefused) question.ask(moment);
  }

  function stop() {
    question.stop();
    loading = null;
  }

  function forgive() {
    clearTimeout(refused?.timer);
    refused = null;
  }

  function refuse(moment, error) {
    forgive();
    refused = { moment, head: model.head };
    // The connection reports when the daemon is back.
    const again = () => { refused.timer = undefined; if (model.connection === 'up') { forgive(); wish(); } };
    if (error.isTemporary === true) refused.timer = setTimeout(again, againMilliseconds);
    isTold = true;
    onError(error);
  }

  async function load(signal, sequence) {
    if (sequence !== model.moment) return wish();
    const { epoch } = model;
    loading = sequence;
    try {
      const found = await fetchState(sequence, epoch, signal);
      if (!signal.aborted && epoch === model.epoch) show(sequence, found);
    } catch (error) {
      if (!signal.aborted) refuse(sequence, error);
    } finally {
      if (loading === sequence) loading = null;
    }
    if (!signal.aborted) wish();
  }

  async function fetchState(sequence, epoch, signal) {
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
      if (reply.epoch !== epoch) throw new WireError(away);
      time ??= reply.time ?? null;
      state = state === null ? reply.state : addPage(state, reply.state);
      // The first page contains the visible rows.
      if (!continues || sequence !== model.moment || ++pages !== 2) return null;
      model.set({ state, isPartial: true, stateSequence: sequence, stateTime: time });
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

  function show(sequence, { state, time }) {
    known.delete(sequence);
    known.set(sequence, { state, time });
    while (known.size > statesMax) known.delete(known.keys().next().value);
    model.set({ state, isPartial: false, stateSequence: sequence, stateTime: time ?? (sequence === 0 ? 0 : null) });
    forgive();
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
