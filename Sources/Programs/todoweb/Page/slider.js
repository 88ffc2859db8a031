// The time slider: the whole log, with a handle at the shown moment.

import { Axis } from './axis.js';
import { button, fill, h, svg } from './dom.js';
import { count, day, dayNumber, duration, moment as momentText } from './format.js';
import { mountPlayer } from './player.js';
import { stream } from './wire.js';

const followMilliseconds = 2000;
const marksMilliseconds = 600;
const alertsMax = 200;

export function mount(element, context) {
  const { model, actions } = context;
  let axis = new Axis(0, 1);
  let wish = null;
  let timer = null;
  let marks = [];
  let marksTimer = 0;
  let marksWish = null;
  let alerts;

  const bars = svg('path', { class: 'bars' });
  const quiet = svg('path', { class: 'quiet' });
  const days = h('div', { class: 'days', 'aria-hidden': 'true' });
  const places = h('div', { class: 'marks' });
  const span = h('div', { class: 'span' });
  const pin = h('div', { class: 'pin', 'aria-hidden': 'true' });
  const handle = h('div', { class: 'handle', role: 'slider', tabindex: 0, ariaLabel: 'Moment', 'aria-orientation': 'horizontal',
    onkeydown: keyed });
  const strip = h('div', { class: 'strip', onpointerdown: dragged },
    svg('svg', { viewBox: '0 0 1000 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, quiet, bars), days, span, pin,
    handle);
  const go = h('input', { id: 'go', type: 'text', ariaLabel: 'Go to a moment', placeholder: '65, @-3, friday noon', size: 20,
    list: 'bookmark-names', autocomplete: 'off' });
  const names = h('datalist', { id: 'bookmark-names' });
  const pinButton = button('Pin', () => actions.pin(model.pinned === null ? model.moment : null));
  const gone = h('p', { class: 'hint', id: 'strip-note' });
  fill(element, places, strip, h('div', { class: 'controls' },
    mountPlayer(context),
    h('form', { onsubmit: (event) => { event.preventDefault(); actions.goTo(go.value); go.blur(); } }, go, names,
      h('button', { type: 'submit' }, 'Go')),
    button('Bookmark…', () => actions.bookmark()), pinButton, gone));

  model.on(['moment', 'live', 'pinned', 'stateTime', 'stateSequence'], draw);
  // The state is loaded first.
  model.on(['head', 'epoch', 'base', 'stateSequence'], (_, changed) => {
    if (model.stateSequence < 0) return;
    if (changed.has('epoch') || axis.last < 2) refresh();
    // Not for each new record.
    else if (axis.last < model.head) timer ??= setTimeout(() => { timer = null; refresh(); }, followMilliseconds);
    draw();
  });
  model.on('bookmarks', drawMarks);
  model.on(['features', 'connection'], learnMarks);
  model.on('state', () => { if (model.live && model.state.alerts !== alerts) { alerts = model.state.alerts; learnMarks(); } });
  new ResizeObserver(drawAxis).observe(strip);

  async function refresh() {
    const { base: first, head: last } = model;
    wish?.abort();
    wish = new AbortController();
    if (last <= first) return;
    if (axis.first !== first) { axis = new Axis(first, last); drawAxis(); }
    // Without times the records are drawn evenly.
    const next = await Axis.of(first, last, wish.signal).catch(() => null);
    if (next !== null) { axis = next; drawAxis(); }
  }

  // They are slow in a long log, so they wait for the state.
  function learnMarks() {
    clearTimeout(marksTimer);
    marksWish?.abort();
    if (model.connection !== 'up' || model.features.length === 0) return;
    marksTimer = setTimeout(async () => {
      marksWish = new AbortController();
      try { marks = await readMarks(model, marksWish.signal); } catch { return; }
      drawMarks();
    }, marksMilliseconds);
  }

  function drawAxis() {
    const path = ({ left, right }, top) =>
      `M${(left * 1000).toFixed(1)} 100V${top.toFixed(1)}H${(right * 1000).toFixed(1)}V100Z`;
    bars.setAttribute('d', axis.buckets.map((bucket) =>
      path(axis.span(bucket), 100 - Math.max(6, 94 * Math.sqrt((bucket.last - bucket.first) / axis.most)))).join(''));
    quiet.setAttribute('d', axis.gaps.map((gap) => path(axis.gap(gap), 0)).join(''));
    drawDays();
    drawMarks();
    draw();
  }

  function drawDays() {
    const width = strip.clientWidth || 1;
    const labels = [];
    const taken = { day: [], gap: [] };
    const label = (place, text, name) => {
      const left = place * width;
      const right = left + text.length * 7 + 10;
      if (place > 0.97 || taken[name].some((other) => left < other.right && other.left < right)) return;
      taken[name].push({ left, right });
      const node = h('span', { class: name }, text);
      node.style.left = `${place * 100}%`;
      labels.push(node);
    };
    for (const gap of axis.gaps) label(axis.gap(gap).left, `${duration(gap.length)} quiet`, 'gap');
    let last = null;
    for (const bucket of axis.buckets) {
      if (dayNumber(bucket.time) !== last) label(axis.span(bucket).left, day(bucket.time), 'day');
      last = dayNumber(bucket.time);
    }
    fill(days, labels);
  }

  function drawMarks() {
    const bookmarks = model.bookmarks.map(({ name, sequence }) =>
      ({ sequence, kind: 'bookmark', sign: '⚑', name, title: `Bookmark ${name}, @${sequence}` }));
    const shown = [...bookmarks, ...marks].filter(({ sequence }) => sequence >= axis.first && sequence <= axis.last);
    const taken = new Map();
    const focused = places.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
    fill(places, shown.map((mark) => {
      const place = axis.place(mark.sequence);
      // Marks at the same position would hide each other; the first, most important one stays.
      const spot = `${Math.round(place * 150)}`;
      if (taken.has(spot)) { taken.get(spot).title += `\n${mark.title}`; return null; }
      const node = button([mark.sign, mark.name ? h('span', {}, mark.name) : null], () => actions.go(mark.sequence),
        { class: `mark ${mark.kind} ${place > 0.85 ? 'end' : ''}`, title: mark.title, ariaLabel: mark.title });
      node.style.left = `${place * 100}%`;
      taken.set(spot, node);
      return node;
    }));
    if (focused !== null) [...places.children].find((node) => node.getAttribute('aria-label') === focused)?.focus();
    fill(names, model.bookmarks.map(({ name }) => h('option', { value: name })));
  }

  function draw() {
    const place = axis.place(model.moment);
    const known = model.stateSequence === model.moment ? model.stateTime : null;
    handle.style.left = `${place * 100}%`;
    const text = model.live ? `now, record ${count(model.head)}` : momentText(model.moment, known);
    const values = { min: model.base, max: model.head, now: model.moment, text };
    for (const [name, value] of Object.entries(values)) handle.setAttribute(`aria-value${name}`, value);
    pin.hidden = span.hidden = model.pinned === null;
    pinButton.textContent = model.pinned === null ? 'Pin' : `Unpin @${model.pinned}`;
    if (model.pinned !== null) {
      const other = axis.place(model.pinned);
      pin.style.left = `${other * 100}%`;
      span.style.left = `${Math.min(place, other) * 100}%`;
      span.style.width = `${Math.abs(place - other) * 100}%`;
    }
    gone.textContent = model.base > 0 ? `The log begins after @${model.base}; earlier records are in an archive.` : '';
  }

  function placeOf(event) {
    const box = strip.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / Math.max(1, box.width)));
  }

  // Dragging moves the moment. With Shift it first pins the start, which selects a range.
  function dragged(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    strip.setPointerCapture(event.pointerId);
    handle.focus({ preventScroll: true });
    const to = (move) => {
      const place = placeOf(move);
      actions.go(place > 0.998 ? model.head : axis.sequence(place));
    };
    if (event.shiftKey) actions.pin(axis.sequence(placeOf(event)));
    to(event);
    const ends = ['pointerup', 'pointercancel'];
    const end = () => {
      strip.removeEventListener('pointermove', to);
      for (const name of ends) strip.removeEventListener(name, end);
    };
    strip.addEventListener('pointermove', to);
    for (const name of ends) strip.addEventListener(name, end);
  }

  function keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowDown: ['step', -1], ArrowUp: ['step', 1], PageUp: ['day', -1], PageDown: ['day', 1] };
    if (event.key === 'Home') actions.go(model.base);
    else if (event.key === 'End') actions.live();
    else if (event.key in moves) actions.travel(...moves[event.key]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

/// Reads the invariants and the records that changed the alerts.
async function readMarks(model, signal) {
  const invariants = [];
  const alerts = [];
  await stream('Invariants', {}, (reply) => {
    for (const { name, expression, record, holds } of reply.invariants) {
      const state = holds === false ? ' It does not hold now.' : '';
      invariants.push({ sequence: record, kind: 'invariant', sign: '◇',
        title: `Invariant ${name} since @${record}: ${expression}.${state}` });
    }
  }, { signal });
  if (!model.features.some(({ name }) => name === 'alerts')) return invariants;
  // The path index makes this fast even in a log of millions.
  await stream('Blame', { path: 'alerts.items', history: true }, ({ origins }) => {
    for (const { sequence } of origins) alerts.push({ sequence, kind: 'alert', sign: '!', title: `Alerts at @${sequence}` });
  }, { signal });
  return [...invariants, ...alerts.slice(-alertsMax)];
}
