// A line plot of a number along the log, and the same as a table.

import { fill, h, svg } from './dom.js';
import { count, day, when } from './format.js';

const height = 180;
const margins = { top: 10, right: 12, bottom: 24, left: 52 };
/// Maximum number of rows: those with the latest changes.
const rowsMax = 500;

/// A figure of points `{sequence, time, value}`; a missing value is a gap. `onPick(sequence)` is called on a click, `setMoment`
/// marks a record.
export function plot({ points, label, onPick }) {
  const valued = points.filter(({ value }) => value !== undefined);
  const drawing = h('div', { class: 'drawing' });
  const readout = h('p', { class: 'hint', 'aria-hidden': 'true' });
  const element = h('figure', { class: 'plot' }, h('figcaption', {}, summary(valued, label)), drawing, readout,
    table(points, label, onPick));
  let moment = null;
  let width = 0;
  new ResizeObserver(([entry]) => {
    const wide = Math.round(entry.contentRect.width);
    if (wide !== width && wide > 0) { width = wide; draw(); }
  }).observe(drawing);
  return { element, setMoment(sequence) { moment = sequence; draw(); } };

  function draw() {
    if (width === 0 || valued.length === 0) return;
    const scale = scales(points, valued, width);
    const marks = [
      ...scale.ticks.map((value) => [
        svg('line', { class: 'grid', x1: margins.left, x2: width - margins.right, y1: scale.y(value), y2: scale.y(value) }),
        svg('text', { x: margins.left - 6, y: scale.y(value) + 4, 'text-anchor': 'end' }, count(value)),
      ]),
      svg('text', { x: margins.left, y: height - 6 }, `@${points[0].sequence} ${day(points[0].time)}`),
      svg('text', { x: width - margins.right, y: height - 6, 'text-anchor': 'end' },
        `@${points.at(-1).sequence} ${day(points.at(-1).time)}`),
      svg('path', { class: 'line', d: line(points, scale) }),
      valued.length > 60 ? null : valued.map(({ sequence, value }) =>
        svg('circle', { class: 'dot', cx: scale.x(sequence), cy: scale.y(value), r: 3 })),
    ];
    if (moment !== null && moment >= points[0].sequence && moment <= points.at(-1).sequence) {
      const x = scale.x(moment);
      marks.push(svg('line', { class: 'here', x1: x, x2: x, y1: margins.top, y2: height - margins.bottom }));
    }
    const image = svg('svg', { viewBox: `0 0 ${width} ${height}`, width, height, role: 'img',
      'aria-label': summary(valued, label),
      onpointermove: (event) => tell(at(event, scale)), onpointerleave: () => { readout.textContent = ''; },
      onclick: (event) => onPick(at(event, scale).sequence) }, marks);
    fill(drawing, image);
  }

  function at(event, scale) {
    const box = drawing.getBoundingClientRect();
    return nearest(points, scale.sequence(event.clientX - box.left));
  }

  function tell({ sequence, time, value }) {
    readout.textContent = `@${sequence}, ${when(time)}: ${value === undefined ? 'no value' : count(value)}`;
  }
}

function nearest(points, sequence) {
  let low = 0;
  let high = points.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (points[middle].sequence <= sequence) low = middle; else high = middle - 1;
  }
  return points[low];
}

function scales(points, valued, width) {
  let [low, high] = [Infinity, -Infinity];
  for (const { value } of valued) { low = Math.min(low, value); high = Math.max(high, value); }
  const ticks = ticksOf(low, high);
  [low, high] = [Math.min(low, ticks[0]), Math.max(high, ticks.at(-1))];
  const [first, last] = [points[0].sequence, Math.max(points.at(-1).sequence, points[0].sequence + 1)];
  const [wide, tall] = [width - margins.left - margins.right, height - margins.top - margins.bottom];
  return {
    ticks,
    x: (sequence) => margins.left + (sequence - first) / (last - first) * wide,
    y: (value) => margins.top + (1 - (value - low) / (high - low)) * tall,
    sequence: (x) => first + (x - margins.left) / wide * (last - first),
  };
}

/// About four round numbers that cover the range.
export function ticksOf(low, high) {
  const rough = Math.max((high - low) / 3, 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const ticks = [];
  const first = Math.floor(low / step) * step;
  for (let tick = first; ticks.length < 2 || tick < high + step; tick += step) ticks.push(tick);
  return ticks;
}

function line(points, scale) {
  let path = '';
  let isOn = false;
  for (const { sequence, value } of points) {
    const x = scale.x(sequence).toFixed(1);
    if (isOn) path += `H${x}`;
    if (value !== undefined) path += isOn ? `V${scale.y(value).toFixed(1)}` : `M${x} ${scale.y(value).toFixed(1)}`;
    isOn = value !== undefined;
  }
  return path;
}

function summary(valued, label) {
  if (valued.length === 0) return `${label} has no value there.`;
  let [low, high] = [valued[0], valued[0]];
  for (const point of valued) {
    if (point.value < low.value) low = point;
    if (point.value > high.value) high = point;
  }
  const [first, last] = [valued[0], valued.at(-1)];
  const at = ({ sequence, value }) => `${count(value)} at @${sequence}`;
  return `${label}: ${at(first)}, ${at(last)}; lowest ${at(low)}, highest ${at(high)}.`;
}

function table(points, label, onPick) {
  const turns = points.filter(({ value }, index) => index === 0 || value !== points[index - 1].value);
  const rows = turns.slice(-rowsMax);
  const left = turns.length - rows.length;
  const make = () => h('table', {}, h('caption', {},
    `${label}, where it changed${left > 0 ? `; the last ${count(rowsMax)} times` : ''}`),
    h('thead', {}, h('tr', {}, ['Record', 'When', 'Value'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, rows.map(({ sequence, time, value }) => h('tr', {},
      h('td', {}, h('button', { type: 'button', class: 'link', onclick: () => onPick(sequence) }, `@${sequence}`)),
      h('td', {}, when(time)), h('td', { class: 'number' }, value === undefined ? 'none' : count(value))))));
  const details = h('details', { ontoggle: () => { if (details.childElementCount === 1) details.append(make()); } },
    h('summary', {}, 'As a table'));
  return details;
}
