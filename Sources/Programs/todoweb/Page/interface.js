// The actions of a feature from the daemon's description, with an example of each.

import { ask } from './wire.js';

/// The daemon's marker for fields that it fills in itself.
const filledIn = 'Filled in by the daemon.';

/// Reads an interface description. A type is `{isOptional, fields, example()}`: an example has the required fields that the
/// daemon does not fill in. Throws a message on a syntax error.
class Reader {
  types = new Map();
  #text;
  #at = 0;

  constructor(text) { this.#text = text; }

  read() {
    this.#comment();
    this.#expect('interface');
    this.#word();
    for (;;) {
      this.#comment();
      const keyword = this.#word();
      if (keyword === '') return;
      const name = this.#word();
      const type = this.#type();
      if (keyword === 'type') this.types.set(name, type);
      if (keyword === 'method') { this.#expect('->'); this.#type(); }
    }
  }

  #comment() {
    const lines = [];
    for (;;) {
      const match = this.#take(/\s*#[ \t]?([^\n]*)/y);
      if (match === null) return lines.join(' ').trim();
      lines.push(match[1].trim());
    }
  }

  #word() { return this.#take(/\s*([A-Za-z][A-Za-z0-9_.-]*)/y)?.[1] ?? ''; }

  #takes(sign) {
    while (this.#take(/\s+|#[^\n]*/y) !== null);
    const isThere = this.#text.startsWith(sign, this.#at);
    if (isThere) this.#at += sign.length;
    return isThere;
  }

  #expect(sign) {
    if (!this.#takes(sign)) throw new Error(`The description of the actions can't be read at character ${this.#at + 1}.`);
  }

  #type() {
    if (this.#takes('?')) return { ...this.#type(), isOptional: true };
    if (this.#takes('[string]')) { const of = this.#type(); return { example: () => ({ name: of.example() }) }; }
    if (this.#takes('[]')) { const of = this.#type(); return { example: () => [of.example()] }; }
    if (this.#takes('(')) return this.#fields();
    const name = this.#word();
    if (name === '') this.#expect('a type');
    const simple = { bool: true, int: 1, float: 1, string: 'text' }[name];
    return { name, example: () => simple ?? this.types.get(name)?.example() ?? {} };
  }

  // A record, or an enumeration if no name has a type.
  #fields() {
    const fields = [];
    const names = [];
    for (;;) {
      const about = this.#comment();
      if (this.#takes(')')) break;
      const name = this.#word();
      if (name === '') this.#expect('a name');
      if (this.#takes(':')) fields.push({ name, about, type: this.#type() }); else names.push(name);
      this.#takes(',');
    }
    const needed = fields.filter(({ type, about }) => !type.isOptional && !about.endsWith(filledIn));
    return { fields, example: () => names.length > 0 ? names[0] : exampleOf(needed) };
  }

  #take(pattern) {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null || match[0] === '') return null;
    this.#at = pattern.lastIndex;
    return match;
  }
}

function exampleOf(fields) { return Object.fromEntries(fields.map(({ name, type }) => [name, type.example()])); }

const known = new Map();

/// The actions of a feature as `{name, about, example}`. Concurrent requests share one call; a failure is not cached.
export function actionsOf(feature) {
  if (!known.has(feature.interface)) {
    const asked = read(feature);
    known.set(feature.interface, asked);
    asked.catch(() => known.delete(feature.interface));
  }
  return known.get(feature.interface);
}

async function read(feature) {
  const reader = new Reader((await ask('GetInterfaceDescription', { interface: feature.interface })).description);
  reader.read();
  return (reader.types.get('Action')?.fields ?? []).map(({ name, about, type }) => {
    const { fields = [] } = type.name === undefined ? type : reader.types.get(type.name) ?? {};
    // An action without required fields has its id.
    const hasOnlyID = fields[0]?.name === 'id' && fields.every((field) => field.type.isOptional);
    const own = { [name]: hasOnlyID ? exampleOf(fields.slice(0, 1)) : type.example() };
    return { name, about: about.replaceAll('`', ''), example: feature.name === '' ? own : { [feature.name]: own } };
  });
}
