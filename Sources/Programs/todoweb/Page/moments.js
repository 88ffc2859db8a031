// The state at the moment that is shown: fetched whole, or as the difference from one that is known.

import { ask } from './ask.js';
import { addPage, applyChanges } from './changes.js';
import { momentForms, pointOf } from './momentwords.js';
import { stream } from './wire.js';

/// States that are kept; one of 10,000 todos takes some megabytes, but what they share is there once.
const statesMax = 12;
/// Up to so many records away a difference is asked for instead of the state.
const nearRecordsMax = 4096;
/// More changes than these take longer than the state itself.
const changesMax = 8192;
/// A question of which nothing was shown in so many milliseconds gives way to a newer wish; until then it goes on, so that
/// a drag never shows nothing.
const patienceMilliseconds = 1000;
/// The present is asked for no more often than that.
const followMilliseconds = 80;

/// Keeps `model.state` at the wished moment. `records` tells the time of a record.
export function followMoment(model, records, onError) {
  const known = new Map();
  let running = null;
  let paused = false;
  let pause = null;
  let lastShown = 0;

  model.on(['moment', 'epoch', 'connection', 'head'], (_, names) => {
    if (names.has('epoch')) { known.clear(); running?.abort.abort(); running = null; }
    if (names.has('connection') && model.connection === 'up') paused = false;
    wish();
  });

  function wish() {
    if (model.epoch === null || paused || model.stateSequence === model.moment && !model.isPartial) return;
    if (known.has(model.moment)) return show(model.moment, known.get(model.moment));
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
    const mine = { sequence, began: performance.now(), abort: new AbortController() };
    running = mine;
    try {
      const found = await fetchState(sequence, mine);
      if (running === mine) { keep(sequence, found); show(sequence, found); }
    } catch (error) {
      if (running !== mine || error.name === 'AbortError') return;
      paused = true;
      onError(error);
    } finally {
      clearTimeout(mine.timer);
      if (running === mine) { running = null; wish(); }
    }
  }

  async function fetchState(sequence, mine) {
    const { signal } = mine.abort;
    const near = nearest(sequence);
    if (near !== null && Math.abs(near - sequence) <= nearRecordsMax) {
      const changes = await difference(near, sequence, signal);
      if (changes !== null) return { state: applyChanges(known.get(near).state, changes), time: null };
    }
    let state = null;
    let time = null;
    let pages = 0;
    await stream('GetState', { at: { sequence } }, (reply, continues) => {
      time ??= reply.time ?? null;
      state = state === null ? reply.state : addPage(state, reply.state);
      // What is seen first is at the front of the lists: it is shown before the rest is here, which a newer wish may end.
      if (!continues || running !== mine || ++pages !== 2) return;
      mine.hasShown = true;
      showPart(sequence, state, time);
      wish();
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
      if (error.name !== 'AbortError' || signal.aborted) throw error;
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
    const previousState = model.isPartial ? model.previousState : model.state;
    model.set({ previousState, state, isPartial: true, stateSequence: sequence, stateTime: time });
  }

  function show(sequence, { state, time }) {
    keep(sequence, { state, time });
    lastShown = performance.now();
    const previousState = model.isPartial ? model.previousState : model.state;
    model.set({ previousState, state, isPartial: false, stateSequence: sequence,
      stateTime: time ?? (sequence === 0 ? 0 : null) });
    if (time === null && sequence > 0) {
      records.load(sequence).then((record) => {
        if (record !== undefined && model.stateSequence === sequence) model.set({ stateTime: record.time });
      }, () => {});
    }
  }
}

/// A moment in words as a sequence. Throws a sentence.
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
