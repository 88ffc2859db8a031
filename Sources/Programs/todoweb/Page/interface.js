// The actions of a feature from the daemon's description, with an example of each.

import { ask } from './wire.js';

/// The types by name. Fields are `{name, type, about, isFilledIn}`, types `{kind}`: 'bool', 'int', 'float', 'string', 'object',
/// 'any'; 'optional', 'array' and 'map' `of` a type; 'record' with `fields`; 'enum' with `names`; 'named' with a `name`. Throws a
/// message on a syntax error.
function parseInterface(description) {
  const reader = new Reader(description);
  reader.comment();
  reader.expect('interface');
  reader.word();
  const types = new Map();
  for (;;) {
    reader.comment();
    const keyword = reader.word();
    if (keyword === '') return types;
    const title = reader.word();
    const type = reader.type();
    if (keyword === 'type') types.set(title, type);
    if (keyword === 'method') { reader.expect('->'); reader.type(); }
  }
}

/// The daemon's marker for fields that it fills in itself.
const filledIn = 'Filled in by the daemon.';

class Reader {
  #text;
  #at = 0;

  constructor(text) { this.#text = text; }

  comment() {
    const lines = [];
    for (;;) {
      const match = this.#take(/\s*#[ \t]?([^\n]*)/y);
      if (match === null) return lines.join(' ').trim();
      lines.push(match[1].trim());
    }
  }

  word() { return this.#take(/\s*([A-Za-z][A-Za-z0-9_.-]*)/y)?.[1] ?? ''; }

  takes(sign) {
    this.#skip();
    const isThere = this.#text.startsWith(sign, this.#at);
    if (isThere) this.#at += sign.length;
    return isThere;
  }

  expect(sign) {
    if (!this.takes(sign)) throw new Error(`The daemon's description of its actions can't be read at character ${this.#at + 1}.`);
  }

  type() {
    if (this.takes('?')) return { kind: 'optional', of: this.type() };
    if (this.takes('[string]')) return { kind: 'map', of: this.type() };
    if (this.takes('[]')) return { kind: 'array', of: this.type() };
    if (this.takes('(')) return this.#fields();
    const name = this.word();
    if (name === '') this.expect('a type');
    return ['bool', 'int', 'float', 'string', 'object', 'any'].includes(name) ? { kind: name } : { kind: 'named', name };
  }

  // A record, or an enumeration if no name has a type.
  #fields() {
    const fields = [];
    const names = [];
    for (;;) {
      const about = this.comment();
      if (this.takes(')')) break;
      const isFilledIn = about.endsWith(filledIn);
      const name = this.word();
      if (name === '') this.expect('a name');
      if (this.takes(':')) fields.push({ name, about, isFilledIn, type: this.type() }); else names.push(name);
      this.takes(',');
    }
    return names.length > 0 ? { kind: 'enum', names } : { kind: 'record', fields };
  }

  #skip() { while (this.#take(/\s+|#[^\n]*/y) !== null); }

  #take(pattern) {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null || match[0] === '') return null;
    this.#at = pattern.lastIndex;
    return match;
  }
}

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

async function read({ name, interface: title }) {
  const types = parseInterface((await ask('GetInterfaceDescription', { interface: title })).description);
  return (types.get('Action')?.fields ?? []).map((action) => {
    const own = { [action.name]: example(action.type, types, true) };
    return { name: action.name, about: action.about.replaceAll('`', ''), example: name === '' ? own : { [name]: own } };
  });
}

// The required fields that the daemon does not fill in; for an action without any, its id. As `todoctl actions` shows it.
function example(type, types, isAction = false) {
  switch (type.kind) {
    case 'bool': return true;
    case 'int': case 'float': return 1;
    case 'string': return 'text';
    case 'optional': return example(type.of, types, isAction);
    case 'array': return [example(type.of, types)];
    case 'map': return { name: example(type.of, types) };
    case 'enum': return type.names[0];
    case 'named': return types.has(type.name) ? example(types.get(type.name), types, isAction) : {};
    case 'record': {
      const isOptional = ({ type: of }) => of.kind === 'optional';
      const needsID = isAction && type.fields[0]?.name === 'id' && type.fields.every(isOptional);
      return Object.fromEntries(type.fields.filter((field, index) => !isOptional(field) && !field.isFilledIn || needsID && index === 0)
        .map((field) => [field.name, example(field.type, types)]));
    }
    default: return {};
  }
}
