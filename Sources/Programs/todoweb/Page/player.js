// Moves along the log by record, step, day or change of the selection, and plays it.

import { openDialog } from './dialog.js';
import { button, fill, h } from './dom.js';
import { dayNumber } from './format.js';
import { problem } from './panel.js';
import { ask, stream } from './wire.js';

const speeds = [1, 4, 16, 64, 256, 1024];
/// How many records are searched for the end of a step.
const stepRecordsMax = 16_384;
const nameForm = 'A name is a letter, then letters, digits, -, _ and .';

/// Creates the buttons, and adds `travel(kind, way)`, `play()`, `changeSpeed(way)` and `bookmark()` to `actions`.
export function mountPlayer({ model, actions }) {
  let frame = 0;
  let travelling = null;
  const targets = { record: (way) => model.moment + way, step, day, change };
  const play = button('▶', () => actions.play(), { class: 'play', ariaLabel: 'Play', 'aria-pressed': false });
  const speed = h('select', { ariaLabel: 'Records a second' }, speeds.map((value) => h('option', { value }, `${value}/s`)));
  speed.value = 4;
  const move = (title, sign, kind, way) => button(sign, () => actions.travel(kind, way), { ariaLabel: title, title });

  actions.travel = async (kind, way) => {
    stop();
    travelling?.abort();
    travelling = new AbortController();
    try {
      const to = await targets[kind](way, travelling.signal);
      if (to !== null) actions.go(to);
    } catch (error) {
      actions.fail(error);
    }
  };

  actions.play = () => {
    if (frame !== 0) return stop();
    if (model.live) actions.go(model.base);
    let position = model.moment;
    let last = performance.now();
    const next = (now) => {
      // Continues from a moment that was set elsewhere.
      if (Math.abs(model.moment - Math.floor(position)) > 1024) position = model.moment;
      position += (now - last) / 1000 * Number(speed.value);
      last = now;
      if (Math.floor(position) > model.moment) actions.go(Math.floor(position));
      if (model.live) return stop();
      frame = requestAnimationFrame(next);
    };
    frame = requestAnimationFrame(next);
    show();
  };

  actions.bookmark = async () => {
    if (!actions.mayWrite()) return;
    const at = model.moment;
    const name = h('input', { type: 'text', ariaLabel: 'Name of the bookmark', placeholder: 'before-cleanup', autofocus: true,
      autocomplete: 'off' });
    await openDialog({
      title: `Bookmark @${at}`, yes: 'Bookmark', lines: [nameForm, name],
      save: async () => {
        const bookmark = name.value.trim();
        try {
          await ask('SetBookmark', { bookmark, at: { sequence: at } });
          actions.say(`Bookmark ${bookmark} set at @${at}.`);
          return null;
        } catch (error) {
          return problem(error);
        }
      },
    });
  };

  /// Plays faster or slower.
  actions.changeSpeed = (way) => { speed.selectedIndex = Math.min(speeds.length - 1, Math.max(0, speed.selectedIndex + way)); };

  function stop() {
    cancelAnimationFrame(frame);
    frame = 0;
    show();
  }

  function show() {
    const isPlaying = frame !== 0;
    play.setAttribute('aria-pressed', String(isPlaying));
    play.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play');
    fill(play, isPlaying ? '❚❚' : '▶');
  }

  async function step(way) {
    const { records } = actions;
    let at = way > 0 ? model.moment + 1 : model.moment;
    const first = await records.load(at);
    if (first === undefined) return way > 0 ? model.head : model.base;
    for (let left = stepRecordsMax; left > 0; left--, at += way) {
      const record = records.get(at) ?? await records.load(at);
      if (record?.step !== first.step) return way > 0 ? at - 1 : at;
    }
    return at;
  }

  async function day(way, signal) {
    const record = await actions.records.load(Math.max(model.moment, model.base + 1));
    if (record === undefined) return null;
    const date = new Date(record.time / 1000);
    const end = new Date(date.getFullYear(), date.getMonth(), date.getDate() + (way > 0 ? 2 : 0));
    const point = { time: Math.min(end.getTime(), Date.now()) * 1000 - 1 };
    const { from } = await ask('Diff', { from: point, to: point }, { signal });
    if (way > 0 && from <= model.moment && from < model.head) {
      // Skips days without records.
      const next = await actions.records.load(model.moment + 1);
      return next !== undefined && dayNumber(next.time) > dayNumber(record.time) ? model.moment + 1 : from;
    }
    return from;
  }

  async function change(way, signal) {
    const { path } = model;
    if (path === null) throw new Error('Select a value in the state first; then < and > go to its changes.');
    const range = way > 0 ? { from: { sequence: model.moment + 1 } } : { to: { sequence: model.moment - 1 }, reverse: true };
    if (way > 0 ? model.moment >= model.head : model.moment <= model.base + 1) return null;
    let found = null;
    await stream('Log', { ...range, path, limit: 1 }, (reply) => { found ??= reply.records[0]?.sequence ?? null; }, { signal });
    if (found === null) actions.say(`${path} does not change ${way > 0 ? 'after' : 'before'} this moment.`);
    return found;
  }

  return h('div', { class: 'player', role: 'group', ariaLabel: 'Travel' },
    move('One step back', '|◀', 'step', -1), move('One record back', '◁', 'record', -1), play,
    move('One record on', '▷', 'record', 1), move('One step on', '▶|', 'step', 1), speed);
}
