// Form fields generated from the daemon's type descriptions.

import { fill, h } from './dom.js';

const integerMax = 2 ** 53 - 1;
const long = new Set(['note', 'text', 'description', 'body']);
let last = 0;

/// A field for a type: `{element, value(), set(value), problem(), at(path)}`. `value()` is undefined if it is omitted.
/// `problem()` is a message or null. `at(names)` is the control at a path. `blank()` are the empty texts. `onChange()` is called
/// at each change.
export function fieldFor(type, { name, about = '', types, onChange }) {
  const context = { types, onChange };
  return make(resolved(type, types), { name, about, ...context });
}

function resolved(type, types) {
  return type.kind === 'named' ? types.get(type.name) ?? { kind: 'object' } : type;
}

function make(type, parts) {
  switch (type.kind) {
    case 'optional': return optional(type, parts);
    case 'record': return record(type, parts);
    case 'array': return array(type, parts);
    case 'map': return map(type, parts);
    case 'bool': return flag(parts);
    case 'enum': return choice(type, parts);
    case 'int': case 'float': return number(type, parts);
    case 'string': return words(parts);
    default: return json(parts);
  }
}

// A control with its label, and its error message after it.
function labelled(control, { name, about }, tools) {
  const id = `field-${++last}`;
  const wrong = h('span', { class: 'wrong', id: `${id}-wrong` });
  const hint = about === '' ? null : h('span', { class: 'hint', id: `${id}-about` }, about);
  control.id = id;
  control.setAttribute('aria-describedby', `${id}-wrong${hint === null ? '' : ` ${id}-about`}`);
  const element = h('div', { class: 'field' }, name === '' ? null : h('label', { for: id }, name), control, wrong, hint);
  if (name === '') control.setAttribute('aria-label', 'value');
  return {
    element, ...tools,
    problem: () => tools.problem?.() ?? null,
    at: () => control,
    tell: (sentence) => {
      fill(wrong, sentence);
      if (sentence === null) control.removeAttribute('aria-invalid'); else control.setAttribute('aria-invalid', 'true');
    },
  };
}

function words(parts) {
  const control = long.has(parts.name) ? h('textarea', { rows: 2, oninput: parts.onChange })
    : h('input', { type: 'text', oninput: parts.onChange, autocomplete: 'off' });
  const field = labelled(control, parts, { value: () => control.value, set: (value) => { control.value = value; } });
  return Object.assign(field, { name: parts.name, blank: () => control.value.trim() === '' ? [field] : [] });
}

function number(type, parts) {
  const control = h('input', { type: 'text', inputmode: 'numeric', oninput: parts.onChange, autocomplete: 'off', value: '' });
  const problem = () => {
    const text = control.value.trim();
    if (text === '') return 'A number is missing.';
    if (type.kind === 'int' && !/^[+-]?\d+$/.test(text)) return 'A whole number is expected.';
    if (Number.isNaN(Number(text))) return 'A number is expected.';
    return type.kind === 'int' && Math.abs(Number(text)) > integerMax ? 'The number is beyond 9,007,199,254,740,991.' : null;
  };
  return labelled(control, parts, {
    value: () => Number(control.value.trim()), problem, set: (value) => { control.value = String(value); },
  });
}

function choice(type, parts) {
  const control = h('select', { onchange: parts.onChange }, type.names.map((name) => h('option', { value: name }, name)));
  return labelled(control, parts, { value: () => control.value, set: (value) => { control.value = value; } });
}

function flag({ name, about, onChange }) {
  const control = h('input', { type: 'checkbox', onchange: onChange });
  return {
    element: h('label', { class: 'flag' }, control, h('span', {}, name === '' ? 'yes' : name, about === '' ? null
      : h('span', { class: 'hint' }, ` ${about}`))),
    value: () => control.checked, set: (value) => { control.checked = value; }, problem: () => null, at: () => control,
      tell: () => {},
  };
}

function json(parts) {
  const control = h('textarea', { rows: 3, class: 'code', oninput: parts.onChange, spellcheck: 'false', value: '{}' });
  const problem = () => {
    try { JSON.parse(control.value); return null; } catch (error) { return `Invalid JSON: ${error.message}.`; }
  };
  return labelled(control, parts, {
    value: () => JSON.parse(control.value), problem, set: (value) => { control.value = JSON.stringify(value, null, 2); },
  });
}

// A checkbox selects whether the value is present.
function optional(type, parts) {
  const of = resolved(type.of, parts.types);
  let inner = null;
  const place = h('div', {});
  const box = h('input', { type: 'checkbox', id: `field-${++last}`, onchange: () => { open(box.checked); parts.onChange(); } });
  const hint = parts.about === '' ? null : h('span', { class: 'hint' }, parts.about);
  const element = h('div', { class: 'optional' }, box, h('label', { for: box.id }, parts.name), hint, place);
  const open = (isOpen) => {
    box.checked = isOpen;
    if (isOpen) inner ??= make(of, { ...parts, about: '', name: parts.name });
    // The checkbox already shows the name.
    if (isOpen) inner.element.querySelector(':scope > label, :scope > legend')?.classList.add('visually-hidden');
    fill(place, isOpen ? inner.element : null);
  };
  return {
    element,
    value: () => box.checked ? inner.value() : undefined,
    set: (value) => { open(value !== undefined && value !== null); if (box.checked) inner.set(value); },
    problem: () => box.checked ? inner.problem() : null,
    at: (path) => box.checked ? inner.at(path) : box,
    tell: (sentence, path) => { if (box.checked) inner.tell(sentence, path); },
    tellAll: () => { if (box.checked) tellAll(inner); },
    blank: () => box.checked ? inner.blank?.() ?? [] : [],
  };
}

function record(type, parts) {
  const fields = type.fields.filter(({ isFilledIn }) => !isFilledIn).map((field) => [field.name,
    make(resolved(field.type, parts.types), { ...parts, name: field.name, about: field.about })]);
  const byName = new Map(fields);
  const isEmpty = fields.length === 0;
  return {
    element: isEmpty ? h('p', { class: 'hint' }, 'There is nothing to fill in.')
      : h('fieldset', { class: 'fieldset' }, h('legend', {}, parts.name), fields.map(([, field]) => field.element)),
    value: () => Object.fromEntries(fields.map(([name, field]) => [name, field.value()]).filter(([, value]) =>
      value !== undefined)),
    set: (value) => { for (const [name, field] of fields) if (name in (value ?? {})) field.set(value[name]); },
    problem: () => fields.map(([, field]) => field.problem()).find((sentence) => sentence !== null) ?? null,
    at: ([name, ...rest]) => byName.get(name)?.at(rest) ?? null,
    tell: (sentence, [name, ...rest] = []) => byName.get(name)?.tell(sentence, rest),
    tellAll: () => { for (const [, field] of fields) tellAll(field); },
    blank: () => fields.flatMap(([, field]) => field.blank?.() ?? []),
  };
}

function array(type, parts) {
  const of = resolved(type.of, parts.types);
  const elements = [];
  const list = h('div', { class: 'form' });
  const add = () => {
    const inner = make(of, { ...parts, about: '', name: of.kind === 'record' ? `${parts.name} ${elements.length + 1}` : '' });
    const row = h('div', { class: 'element' }, inner.element, h('button', { type: 'button',
      ariaLabel: `Remove this one of ${parts.name}`,
      onclick: () => { elements.splice(elements.indexOf(inner), 1); row.remove(); more.focus(); parts.onChange(); } }, '✕'));
    elements.push(inner);
    list.append(row);
    return inner;
  };
  const more = h('button', { type: 'button', onclick: () => {
    const inner = add();
    inner.element.querySelector('input, textarea, select')?.focus();
    parts.onChange();
  } }, `Add to ${parts.name}`);
  const element = h('fieldset', { class: 'fieldset' }, h('legend', {}, parts.name), parts.about === '' ? null
    : h('p', { class: 'hint' }, parts.about), list, more);
  // Lists of records usually have at least one element.
  if (of.kind === 'record') add();
  return {
    element,
    value: () => elements.map((inner) => inner.value()),
    set: (values) => { elements.length = 0; fill(list); for (const value of values) add().set(value); },
    problem: () => elements.map((inner) => inner.problem()).find((sentence) => sentence !== null) ?? null,
    at: ([index, ...rest]) => elements[index]?.at(rest) ?? more,
    tell: (sentence, [index, ...rest] = []) => elements[index]?.tell(sentence, rest),
    tellAll: () => { for (const inner of elements) tellAll(inner); },
    blank: () => elements.flatMap((inner) => inner.blank?.() ?? []),
  };
}

function map(type, parts) {
  const pair = { kind: 'record', fields: [{ name: 'name', about: '', type: { kind: 'string' } },
    { name: 'value', about: '', type: type.of }] };
  const inner = array({ of: pair }, parts);
  return {
    ...inner,
    value: () => Object.fromEntries(inner.value().map(({ name, value }) => [name, value])),
    set: (values) => inner.set(Object.entries(values).map(([name, value]) => ({ name, value }))),
  };
}

/// The remedy for an error about an empty text: `Fill in id.`; otherwise null.
export function fillIn({ name }, { message }) {
  const said = name.charAt(0).toLowerCase() + name.slice(1);
  return said !== '' && message.split(/[^\p{L}\p{N}]+/u).includes(said) ? `Fill in ${said}.` : null;
}

export function tellAll(field) {
  if (field.tellAll !== undefined) field.tellAll();
  else field.tell(field.problem());
}
