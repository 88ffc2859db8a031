// Searches the log.

import { h } from './dom.js';
import { count } from './format.js';
import { stream } from './wire.js';

const pageRecords = 500;
const typingMilliseconds = 250;

/// The results of a query, newest first, loaded page by page.
export class Search {
  found = [];
  error = null;
  #abort = new AbortController();
  #isRunning = false;
  #isDone = false;
  #reached = null;
  #added = 0;
  #head;

  constructor(question, model, onChange) {
    this.question = question;
    this.model = model;
    this.onChange = () => onChange(this);
    this.#head = model.head;
  }

  get note() {
    const found = `${count(this.found.length)} found`;
    if (this.#isRunning) return `${found}; searching${this.#reached === null ? '' : `, reached @${count(this.#reached)}`}…`;
    return this.#isDone ? `${found}.` : `${found}; there may be more.`;
  }

  /// The number of new results at the front since the last call.
  takeAdded() {
    const added = this.#added;
    this.#added = 0;
    return added;
  }

  index(sequence) {
    let low = 0;
    let high = this.found.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.found[middle].sequence > sequence) low = middle + 1; else high = middle;
    }
    return this.found[low]?.sequence === sequence ? low : -1;
  }

  stop() { this.#abort.abort(); }

  /// Loads the next page unless one is being loaded.
  async more() {
    if (this.#isRunning || this.#isDone) return;
    const to = this.found.length === 0 ? this.#head : this.found.at(-1).sequence - 1;
    if (to <= this.model.base) { this.#isDone = true; return this.onChange(); }
    let came = 0;
    await this.#run({ to: { sequence: to }, limit: pageRecords },
      (records) => { came += records.length; this.found.push(...records); });
    if (this.error === null && came < pageRecords) this.#isDone = true;
    this.onChange();
  }

  async catchUp(head) {
    if (this.#isRunning || head <= this.#head || this.error !== null) return;
    const from = this.#head + 1;
    this.#head = head;
    const newer = [];
    await this.#run({ from: { sequence: from }, to: { sequence: head } }, (records) => newer.push(...records));
    this.found.unshift(...newer);
    this.#added += newer.length;
    this.onChange();
  }

  async #run(range, take) {
    this.#isRunning = true;
    let last = 0;
    try {
      await stream('Log', { ...this.question, ...range, reverse: true }, (reply) => {
        take(reply.records);
        this.#reached = reply.reached ?? null;
        if (performance.now() - last > 50) { last = performance.now(); this.onChange(); }
      }, { signal: this.#abort.signal });
    } catch (error) {
      if (error.name !== 'AbortError') this.error = error.message;
    } finally {
      this.#isRunning = false;
    }
  }
}

/// The search form as `{element, searchPath(path)}`. `onSearch(query)` is called while typing, with null for an empty query.
export function searchForm({ model, onSearch }) {
  let timer = 0;
  const input = (placeholder, properties = {}) => h('input', { type: 'text', placeholder, oninput: later, autocomplete: 'off',
    spellcheck: 'false', ...properties });
  const text = input('Search the log', { id: 'search', type: 'search', ariaLabel: 'Search the log' });
  const feature = h('select', { onchange: now });
  const details = h('details', {}, h('summary', {}, 'Filter'));
  // The fields of Log, each with its label.
  const fields = {
    search: ['', text], feature: ['Feature', feature], action: ['Action', input('add, todos.add')],
    origin: ['Who (uid)', input('1000', { type: 'number', min: 0 })],
    where: ['Condition', input('new.counter.count < old.counter.count', { oninput: null, onchange: now })],
    path: ['Changed place', input('todos.items[12].title', { oninput: null, onchange: now })],
  };
  const element = h('form', { role: 'search', onsubmit: (event) => { event.preventDefault(); now(); }, onreset: () => setTimeout(now) },
    text, details);
  details.append(h('div', { class: 'fields' }, Object.values(fields).slice(1).map(([label, control]) =>
    h('label', {}, h('span', {}, label), control)), h('button', { type: 'reset' }, 'Clear')));
  model.on('features', () => feature.replaceChildren(h('option', { value: '' }, 'any'),
    ...model.features.filter(({ name }) => name !== '').map(({ name }) => h('option', { value: name }, name))));
  return { element, searchPath };

  function later() {
    clearTimeout(timer);
    timer = setTimeout(now, typingMilliseconds);
  }

  function now() {
    clearTimeout(timer);
    const written = Object.entries(fields).map(([name, [, control]]) => [name, control.value.trim()])
      .filter(([, value]) => value !== '').map(([name, value]) => [name, name === 'origin' ? Number(value) : value]);
    onSearch(written.length === 0 ? null : Object.fromEntries(written));
  }

  function searchPath(path) {
    for (const [, control] of Object.values(fields)) control.value = '';
    fields.path[1].value = path;
    details.open = true;
    now();
  }
}
