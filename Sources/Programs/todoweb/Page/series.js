// The form and query for a number along the log.

import { fill, h } from './dom.js';
import { count } from './format.js';
import { newest, note } from './panel.js';
import { plot } from './plot.js';
import { stream } from './wire.js';

const pointsWished = 600;
const pointsMax = 20_000;
const offsetsMax = 1024;

export function seriesForm({ model, actions }) {
  const status = note();
  const input = h('input', { type: 'text', class: 'code', ariaLabel: 'Number to draw', spellcheck: 'false', autocapitalize: 'off',
    placeholder: 'count(todos.items)' });
  const every = h('select', { ariaLabel: 'After which records it is computed', onchange: () => submit() },
    [['', 'evenly'], ['step', 'each step'], ['hour', 'each hour'], ['day', 'each day'],
      ['records', 'each record']].map(([value, name]) =>
      h('option', { value }, name)));
  const stop = h('button', { type: 'button', hidden: true, onclick: () => { question.stop(); end(); status.say('Stopped.'); } },
    'Stop');
  const place = h('div', {});
  const form = h('form', { class: 'bar', onsubmit: (event) => { event.preventDefault(); submit(); } },
    input, every, h('button', { type: 'submit' }, 'Draw'), stop);
  let drawn = null;
  let shown = null;
  let asked = null;
  const question = newest({ run: read, onError: (error) => { if (asked === shown) shown = null; end(); fill(place); status.fail(error); } });
  model.on('moment', () => drawn?.setMoment(model.moment));

  function submit() {
    const expression = input.value.trim();
    if (expression === '') return status.say('Write what gives a number, such as counter.count or count(todos.items).');
    stop.hidden = false;
    asked = expression;
    status.say('…');
    question.ask(expression);
  }

  function end() { stop.hidden = true; }

  async function read(signal, expression) {
    const points = [];
    const { head, base } = model;
    let isCut = false;
    await stream('Scan', { question: 'values', expression, ...await frequency() }, (reply) => {
      points.push(...reply.points ?? []);
      isCut = points.length > pointsMax;
      if (isCut) throw new DOMException('enough', 'AbortError');
      status.say(`${count(reply.reached ?? points.at(-1)?.sequence ?? base)} of ${count(head)} records…`);
    }, { signal }).catch((error) => { if (!isCut) throw error; });
    end();
    status.say(points.length === 0 ? 'The log holds no record yet.' : isCut
      ? `These are the first ${count(points.length)} points. Draw it evenly to see all of it.` : '');
    drawn = points.length === 0 ? null : plot({ points, label: expression, onPick: actions.go });
    fill(place, drawn?.element);
    drawn?.setMoment(model.moment);
  }

  // Every record of a short log, every n-th of a long one.
  async function frequency() {
    switch (every.value) {
      case '': return { every: 'records', count: Math.max(1, Math.ceil((model.head - model.base) / pointsWished)) };
      case 'day': case 'hour': return { every: every.value, offsets: offsetsOf(await firstTime()) };
      default: return { every: every.value };
    }
  }

  async function firstTime() {
    const first = await actions.records.load(model.base + 1);
    return first === undefined ? Date.now() : first.time / 1000;
  }

  return {
    element: h('div', { class: 'series' }, form, status.element, place),
    // Keeps the user's input while the same value is selected.
    show(expression) { if (expression !== shown) { shown = input.value = expression; submit(); } },
    suggest(expression) { if (drawn === null) input.value = expression; },
  };
}

/// The UTC offsets of the browser's zone from `first` on: each change, to the minute. Times are in milliseconds since 1970.
export function offsetsOf(first, last = Date.now()) {
  const week = 7 * 864e5;
  const seconds = (time) => -60 * new Date(time).getTimezoneOffset();
  const offsets = [{ from: Math.round(first) * 1000, seconds: seconds(first) }];
  for (let from = first; from < last && offsets.length < offsetsMax; from += week) {
    let [low, high] = [from, Math.min(from + week, last)];
    if (seconds(low) === seconds(high)) continue;
    while (high - low > 6e4) {
      const middle = (low + high) / 2;
      if (seconds(middle) === seconds(low)) low = middle; else high = middle;
    }
    const minute = Math.round(high / 6e4) * 6e4;
    offsets.push({ from: minute * 1000, seconds: seconds(high) });
  }
  return offsets;
}
