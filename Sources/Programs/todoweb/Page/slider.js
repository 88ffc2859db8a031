// The time slider: the whole log, with a handle at the shown moment.

import { Axis } from './axis.js';
import { fill, h, svg } from './dom.js';
import { count, day, dayNumber, duration, moment as momentText } from './format.js';
import { mountPlayer } from './player.js';
import { stream } from './wire.js';

const followMilliseconds = 2000;
const rangeRecordsMin = 8;
const marksMilliseconds = 600;

export function mount(element, context) {
  const { model, actions } = context;
  let axis = Axis.even(0, 1);
  let range = null;
  let wish = null;
  let knowsActivity = true;
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
  const strip = h('div', { class: 'strip', onpointerdown: dragged, onwheel: zoomed },
    svg('svg', { viewBox: '0 0 1000 100', preserveAspectRatio: 'none', 'aria-hidden': 'true' }, quiet, bars), days, span, pin,
      handle);
  const go = h('input', { id: 'go', type: 'text', ariaLabel: 'Go to a moment', placeholder: '65, @-3, friday noon', size: 20,
    list: 'bookmark-names', autocomplete: 'off' });
  const names = h('datalist', { id: 'bookmark-names' });
  const whole = h('button', { type: 'button', onclick: () => zoom(null), hidden: true }, 'Whole log');
  const pinButton = h('button', { type: 'button', onclick: () => actions.pin(model.pinned === null ? model.moment : null) });
  const gone = h('p', { class: 'hint', id: 'strip-note' });
  fill(element, places, strip, h('div', { class: 'controls' },
    mountPlayer(context),
    h('form', { onsubmit: (event) => { event.preventDefault(); actions.goTo(go.value); go.blur(); } }, go, names,
      h('button', { type: 'submit' }, 'Go')),
    h('button', { type: 'button', onclick: () => actions.bookmark() }, 'Bookmark…'), pinButton, whole,
    h('button', { type: 'button', onclick: () => around(0.5, 0.5), ariaLabel: 'Show less of the log around the moment' }, '+'),
    h('button', { type: 'button', onclick: () => around(0.5, 2), ariaLabel: 'Show more of the log around the moment' }, '−'),
      gone));

  model.on(['moment', 'live', 'pinned', 'stateTime', 'stateSequence'], draw);
  // The state is loaded first.
  model.on(['head', 'epoch', 'base', 'stateSequence'], (_, changed) => {
    // New records are drawn after the last bucket, so that the activity is not requested for each record.
    if (model.stateSequence < 0) return;
    if (changed.has('epoch') || axis.last < 2) refresh(); else later();
    draw();
  });
  model.on('bookmarks', drawMarks);
  model.on(['features', 'connection'], learnMarks);
  model.on('state', () => { if (model.live && model.state.alerts !== alerts) { alerts = model.state.alerts; learnMarks(); } });
  new ResizeObserver(drawAxis).observe(strip);

  let timer = 0;
  function later() {
    if (timer !== 0 || axis.last >= model.head || range !== null && range[1] < model.head && !model.live) return;
    timer = setTimeout(() => { timer = 0; refresh(); }, followMilliseconds);
  }

  async function refresh() {
    const [first, last] = range ?? [model.base, model.head];
    wish?.abort();
    wish = new AbortController();
    const { signal } = wish;
    if (last <= first) return;
    if (axis.first !== first) { axis = Axis.even(first, last); drawAxis(); }
    let next = Axis.even(first, last);
    if (knowsActivity) {
      try {
        next = await Axis.of(first, last, signal);
      } catch (error) {
        if (error.name === 'AbortError') return;
        if (error.name.endsWith('MethodNotFound')) knowsActivity = false;
      }
    }
    if (signal.aborted) return;
    axis = next;
    drawAxis();
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
    const wide = (piece) =>
      `M${(piece.left * 1000).toFixed(1)} 100V${piece.top.toFixed(1)}H${(piece.right * 1000).toFixed(1)}V100Z`;
    const drawn = axis.pieces.filter(({ density }) => density > 0);
    for (const piece of drawn) piece.top = 100 - Math.max(6, 94 * Math.sqrt(piece.density / axis.most));
    bars.setAttribute('d', drawn.map(wide).join(''));
    const cuts = axis.pieces.filter(({ isCut }) => isCut);
    quiet.setAttribute('d', cuts.map((piece) => wide({ ...piece, top: 0 })).join(''));
    drawDays(cuts);
    whole.hidden = range === null;
    drawMarks();
    draw();
  }

  function drawDays(cuts) {
    const width = strip.clientWidth || 1;
    const labels = [];
    const taken = [];
    const label = (place, text, name) => {
      const left = place * width;
      const right = left + text.length * 7 + 10;
      if (place > 0.97 || taken.some((other) => left < other.right && other.left < right)) return;
      taken.push({ left, right });
      const node = h('span', { class: name }, text);
      node.style.left = `${place * 100}%`;
      labels.push(node);
    };
    // Labels for shortened times come first, because otherwise they would look like normal ones.
    for (const piece of cuts) label(piece.left, `${duration(piece.to - piece.from)} quiet`, 'gap');
    const timed = axis.pieces.filter(({ from }) => from !== null);
    for (const piece of timed) {
      const isNew = piece === timed[0] || dayNumber(piece.from) !== dayNumber(piece.to);
      if (isNew && !piece.isCut) label(piece.left, day(piece.to), 'day');
    }
    fill(days, labels);
  }

  function drawMarks() {
    const shown = [...bookmarkMarks(model), ...marks].filter(({ sequence }) => sequence >= axis.first && sequence <= axis.last);
    const taken = new Map();
    const focused = places.contains(document.activeElement) ? document.activeElement.getAttribute('aria-label') : null;
    fill(places, shown.map((mark) => {
      const place = axis.place(mark.sequence);
      // Marks at the same position would hide each other; the first, most important one stays.
      const spot = `${Math.round(place * 150)}`;
      if (taken.has(spot)) { taken.get(spot).title += `\n${mark.title}`; return null; }
      const node = h('button', {
        type: 'button', class: `mark ${mark.kind} ${place > 0.85 ? 'end' : ''}`, title: mark.title, ariaLabel: mark.title,
          onclick: () => actions.go(mark.sequence),
      }, mark.sign, mark.name ? h('span', {}, mark.name) : null);
      node.style.left = `${place * 100}%`;
      taken.set(spot, node);
      return node;
    }));
    if (focused !== null) [...places.children].find((node) => node.getAttribute('aria-label') === focused)?.focus();
    fill(names, model.bookmarks.map(({ name }) => h('option', { value: name })));
  }

  function draw() {
    // Scrolls a moment outside of the zoomed range into view.
    if (range !== null && !model.live && (model.moment < range[0] || model.moment > range[1])) {
      const wide = range[1] - range[0];
      const first = Math.min(Math.max(model.base, Math.round(model.moment - wide / 2)), Math.max(model.base, model.head - wide));
      return zoom([first, Math.min(model.head, first + wide)]);
    }
    const place = Math.min(1, Math.max(0, model.live ? 1 : axis.place(model.moment)));
    const known = model.stateSequence === model.moment ? model.stateTime : null;
    handle.style.left = `${(range === null || !model.live || range[1] === model.head ? place : 1) * 100}%`;
    handle.setAttribute('aria-valuemin', model.base);
    handle.setAttribute('aria-valuemax', model.head);
    handle.setAttribute('aria-valuenow', model.moment);
    handle.setAttribute('aria-valuetext', model.live ? `now, record ${count(model.head)}` : momentText(model.moment, known));
    pin.hidden = span.hidden = model.pinned === null;
    pinButton.textContent = model.pinned === null ? 'Pin' : `Unpin @${model.pinned}`;
    if (model.pinned !== null) {
      const other = Math.min(1, Math.max(0, axis.place(model.pinned)));
      pin.style.left = `${other * 100}%`;
      span.style.left = `${Math.min(place, other) * 100}%`;
      span.style.width = `${Math.abs(place - other) * 100}%`;
    }
    gone.textContent = model.base > 0 ? `The log begins behind @${model.base}; what was before is in an archive.` : '';
  }

  function placeOf(event) {
    const box = strip.getBoundingClientRect();
    return (event.clientX - box.left) / Math.max(1, box.width);
  }

  // Dragging moves the moment. With Shift it first pins the start, which selects a range.
  function dragged(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    strip.setPointerCapture(event.pointerId);
    handle.focus({ preventScroll: true });
    const to = (move) => {
      const place = Math.min(1, Math.max(0, placeOf(move)));
      actions.go(place > 0.998 && (range === null || range[1] >= model.head) ? model.head : axis.sequence(place));
    };
    if (event.shiftKey) actions.pin(axis.sequence(Math.min(1, Math.max(0, placeOf(event)))));
    to(event);
    const end = () => {
      strip.removeEventListener('pointermove', to);
      strip.removeEventListener('pointerup', end);
      strip.removeEventListener('pointercancel', end);
    };
    strip.addEventListener('pointermove', to);
    strip.addEventListener('pointerup', end);
    strip.addEventListener('pointercancel', end);
  }

  function zoomed(event) {
    event.preventDefault();
    const by = Math.exp(Math.max(-1, Math.min(1, (event.deltaY || event.deltaX) / 300)));
    around(Math.min(1, Math.max(0, placeOf(event))), by, true);
  }

  // Zooms by a factor around the pointer, or around the moment for keys and buttons.
  function around(place, by, isPointed = false) {
    const at = isPointed ? place : Math.min(1, Math.max(0, axis.place(model.moment)));
    const least = model.base;
    let first = axis.sequence(at - at * by);
    let last = axis.sequence(at + (1 - at) * by);
    if (last - first < rangeRecordsMin) { first = axis.sequence(at) - rangeRecordsMin / 2; last = first + rangeRecordsMin; }
    first = Math.max(least, first);
    last = Math.min(model.head, last);
    zoom(first <= least && last >= model.head ? null : [first, last]);
  }

  function zoom(to) {
    range = to;
    const [first, last] = range ?? [model.base, model.head];
    // The known data is drawn at its new position until the daemon has answered.
    const left = axis.place(first);
    const wide = Math.max(1e-9, axis.place(last) - left);
    const pieces = axis.pieces.filter((piece) => piece.last > first && piece.first < last
      || axis.pieces.length === 1).map((piece) => {
      const a = Math.max(first, piece.first);
      const b = Math.min(last, piece.last);
      return { ...piece, first: a, last: b, left: Math.max(0, (axis.place(a) - left) / wide),
        right: Math.min(1, (axis.place(b) - left) / wide) };
    }).filter((piece) => piece.right > piece.left);
    axis = pieces.length === 0 ? Axis.even(first, last) : new Axis(first, last, pieces);
    drawAxis();
    clearTimeout(timer);
    timer = setTimeout(() => { timer = 0; refresh(); }, 120);
  }

  function keyed(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = {
      ArrowLeft: ['record', -1], ArrowRight: ['record', 1], ArrowDown: ['record', -1], ArrowUp: ['record', 1],
        PageUp: ['day', -1], PageDown: ['day', 1],
    };
    if (event.key === 'Home') actions.go(model.base);
    else if (event.key === 'End') actions.live();
    else if (event.key === ' ') actions.play();
    else if (event.key === '+') around(0.5, 0.5);
    else if (event.key === '-') around(0.5, 2);
    else if (event.key in moves) actions.travel(event.shiftKey && moves[event.key][0] === 'record' ? 'step'
      : moves[event.key][0], moves[event.key][1]);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}

const alertsMax = 200;

function bookmarkMarks(model) {
  return model.bookmarks.map(({ name, sequence }) =>
    ({ sequence, kind: 'bookmark', sign: '⚑', name, title: `Bookmark ${name}, @${sequence}` }));
}

/// Reads the invariants and the records that changed the alerts.
async function readMarks(model, signal) {
  const alerts = model.features.some(({ name }) => name === 'alerts') ? await readAlerts(signal) : [];
  return [...await readInvariants(signal), ...alerts];
}

async function readInvariants(signal) {
  const marks = [];
  await stream('Invariants', {}, (reply) => {
    for (const { name, expression, record, holds } of reply.invariants) {
      const state = holds === false ? ' It does not hold now.' : '';
      marks.push({ sequence: record, kind: 'invariant', sign: '◇',
        title: `Invariant ${name} since @${record}: ${expression}.${state}` });
    }
  }, { signal });
  return marks;
}

// The path index makes this fast even in a log of millions.
async function readAlerts(signal) {
  const marks = [];
  await stream('Blame', { path: 'alerts.items', history: true }, (reply) => {
    for (const { sequence } of reply.origins) marks.push({ sequence, kind: 'alert', sign: '!',
      title: `Alerts changed, @${sequence}` });
  }, { signal });
  return marks.slice(-alertsMax);
}
