// Searches the log.

import { h } from './dom.js';
import { count } from './format.js';
import { stream } from './wire.js';

const pageRecords = 500;
const typingMilliseconds = 250;

/// The results of a query, newest first, loaded page by page. They do not grow with the log.
export class Search {
  found = [];
  error = null;
  #abort = new AbortController();
  #isRunning = false;
  #isDone = false;
  #reached = null;

  constructor(question, model, onChange) {
    Object.assign(this, { question, model, head: model.head, onChange: () => onChange(this) });
  }

  get note() {
    const found = `${count(this.found.length)} found`;
    if (this.#isRunning) return `${found}; searching${this.#reached === null ? '' : `, reached @${count(this.#reached)}`}…`;
    return this.#isDone ? `${found}.` : `${found}; there may be more.`;
  }

  index(sequence) { return this.found.findIndex((record) => record.sequence === sequence); }

  stop() { this.#abort.abort(); }

  /// Loads the next page unless one is being loaded.
  async more() {
    if (this.#isRunning || this.#isDone || this.error !== null) return;
    const to = this.found.length === 0 ? this.head : this.found.at(-1).sequence - 1;
    const length = this.found.length;
    this.#isRunning = true;
    let last = 0;
    try {
      const range = { to: { sequence: to }, limit: pageRecords, reverse: true };
      if (to > this.model.base) await stream('Log', { ...this.question, ...range }, (reply) => {
        this.found.push(...reply.records);
        this.#reached = reply.reached ?? null;
        if (performance.now() - last > 50) { last = performance.now(); this.onChange(); }
      }, { signal: this.#abort.signal });
      this.#isDone = this.found.length < length + pageRecords;
    } catch (error) {
      if (error.name !== 'AbortError') this.error = error.message;
    }
    this.#isRunning = false;
    this.onChange();
  }
}

/// The search field as `{element, search(text)}`. `onSearch(query)` is called while typing, with null for an empty query.
export function searchField({ onSearch }) {
  let timer = 0;
  const later = () => { clearTimeout(timer); timer = setTimeout(now, typingMilliseconds); };
  const now = () => { clearTimeout(timer); onSearch(queryOf(input.value)); };
  const input = h('input', { id: 'search', type: 'search', placeholder: 'Words, action:add, path:counter.count', oninput: later,
    ariaLabel: 'Search the log', autocomplete: 'off', spellcheck: 'false', title: forms });
  const element = h('form', { role: 'search', onsubmit: (event) => { event.preventDefault(); now(); } }, input);
  return { element, search: (text) => { input.value = text; now(); } };
}

const forms = 'Words of an action, and feature:todos, action:add, uid:1000, path:todos.items[12].title,'
  + ' or at the end where:new.counter.count < old.counter.count';

// The fields of Log for a text.
function queryOf(text) {
  const [, words, where] = /^(.*?)(?:(?:^|\s)where:(.*))?$/.exec(text);
  const query = {};
  const rest = words.split(/\s+/).filter((word) => {
    const [, name, value] = /^(feature|action|uid|path):(.+)$/.exec(word) ?? [];
    if (name !== undefined) query[name === 'uid' ? 'origin' : name] = name === 'uid' ? Number(value) : value;
    return name === undefined && word !== '';
  });
  if (rest.length > 0) query.search = rest.join(' ');
  if (where !== undefined && where.trim() !== '') query.where = where.trim();
  return Object.keys(query).length === 0 ? null : query;
}
