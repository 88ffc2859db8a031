// The generic view of a feature: its fields, its lists, and buttons for its actions. A single-feature app is shown as its state.

import { refusalOf } from './ask.js';
import { isRecord } from './changes.js';
import { fill, h } from './dom.js';
import { wordsOf } from './features.js';
import { fieldFor, fillIn } from './fields.js';
import { count, short } from './format.js';
import { actionsOf } from './interface.js';
import { actionPath, actionSentence, namesIn, recordSentence } from './sentence.js';
import { VirtualList } from './virtual.js';
import { capitalised, compact, visible } from './visible.js';
import { call, stream } from './wire.js';

const rowHeight = 38;
const rowsSeenMax = 12;
/// With more answers a select replaces the buttons.
const buttonsMax = 12;

export function featureView(element, feature, { model, actions }) {
  const { name } = feature;
  const own = wordsOf(name);
  const fields = h('dl', { class: 'view-fields' });
  const tools = h('div', { class: 'choice verbs' });
  const forms = h('div', { class: 'asking' });
  const lists = h('div', { class: 'view-lists' });
  const note = h('p', { class: 'hint' });
  fill(element, fields, tools, forms, lists, note, h('p', {},
    h('button', { type: 'button', onclick: () => actions.openPanel('forms') }, 'Dispatch…')));
  const shown = new Map();
  let verbs = { plain: [], ofRow: [], asking: [], types: new Map() };
  let isKnown = false;
  let view = null;
  let asked = null;
  let wish = null;
  return function update() {
    if (model.stateSequence < 0) return;
    if (!isKnown && model.connection === 'up') learn();
    if (name === '') { view = model.state; return show(); }
    const part = model.state[name];
    if (view !== null) show();
    // The view depends only on the feature's part of the state.
    if (asked !== null && asked === part || model.connection !== 'up') return;
    asked = part;
    wish?.abort();
    wish = new AbortController();
    call('View', { feature: name, at: { sequence: model.stateSequence } }, { signal: wish.signal })
      .then((answer) => { view = answer.view; note.textContent = ''; show(); },
        (error) => { if (error.name !== 'AbortError') { asked = null; fill(note, error.message); } });
  };

  // The actions do not change while a daemon runs, so they are reloaded after it was away.
  function learn() {
    isKnown = true;
    verbsOf(feature).then((found) => { verbs = found; if (view !== null) show(); }, (error) => { isKnown = false; actions.fail(error); });
  }

  function isFixed() { return !model.live || model.readOnly; }

  // Replaces the content of a node if it has changed. The focus moves to the corresponding control, or to the first one if that
  // is disabled.
  function refill(node, face, ...children) {
    if (node.face === face) return;
    node.face = face;
    const part = node.contains(document.activeElement) ? document.activeElement.dataset.part : undefined;
    fill(node, ...children);
    if (part === undefined) return;
    const controls = [...node.querySelectorAll('[data-part]')].filter((control) => !control.disabled);
    (controls.find((control) => control.dataset.part === part) ?? controls[0])?.focus({ preventScroll: true });
  }

  function show() {
    const asking = verbs.asking.filter(({ name: verb }) => own.words[verb] !== null);
    const choices = (need) => view[`${need}s`];
    const chosen = new Set(asking.flatMap(({ needs }) => needs.map((need) => `${need.name}s`)).filter((key) => isList(view[key])));
    const entries = Object.entries(view).filter(([key]) => !own.hides.includes(key) && !key.endsWith('Enabled') && !chosen.has(key));
    const scalars = entries.filter(([, value]) => !isList(value) && value !== false);
    refill(fields, JSON.stringify(scalars), scalars.map(([key, value]) => [h('dt', {}, words(key)), h('dd', {}, face(value, `${name}.${key}`))]));
    refill(tools, JSON.stringify([isFixed(), verbs.plain.map(({ name: verb }) => view[`${verb}Enabled`])]), [
      ...verbs.plain.filter((verb) => own.words[verb.name] !== null).map((verb) => button(called(verb), inFeature(verb.name, {}),
        { title: verb.about, isDisabled: view[`${verb.name}Enabled`] === false })),
      ...own.more.map(([text, action]) => button(text, action, { run: () => act(action, { isFollowedUp: true }), part: text })),
    ]);
    refill(forms, JSON.stringify([isFixed(), asking.map((verb) => [verb.name, verb.needs.map((need) => choices(need.name))])]),
      asking.map((verb) => form(verb, choices)));
    const names = entries.filter(([, value]) => isList(value));
    for (const [key, { element: old }] of shown) if (!names.some(([other]) => other === key)) { old.remove(); shown.delete(key); }
    for (const [key, rows] of names) {
      if (!shown.has(key)) { shown.set(key, makeList(key)); lists.append(shown.get(key).element); }
      shown.get(key).set(rows);
    }
  }

  function inFeature(verb, input) { return name === '' ? { [verb]: input } : { [name]: { [verb]: input } }; }

  function called(verb, row) {
    const word = own.words[verb.name];
    return typeof word === 'function' ? word(row) : word ?? words(verb.name);
  }

  // `isFollowedUp`: reports the outcome if it differs from what the button says.
  function act(action, { isFollowedUp = false } = {}) {
    const names = namesIn(model.state);
    const sentence = actionSentence(action, { names });
    return actions.dispatch([action], async ({ sequences, existing = [] }) => {
      if (sequences.length === 0) return existing.length > 0 ? 'Nothing was done: it is there already.' : `Nothing was to be done: ${sentence}.`;
      return capitalised(`${isFollowedUp ? await outcome(action, sequences, names) ?? sentence : sentence}.`);
    });
  }

  // The logged records if none of them belongs to the action's feature, or undefined.
  async function outcome(action, sequences, names) {
    const records = [];
    try {
      await stream('Log', { from: { sequence: sequences[0] }, to: { sequence: sequences.at(-1) } }, (reply) => { records.push(...reply.records); });
    } catch { return undefined; }
    const [part] = actionPath(action);
    if (records.length === 0 || records.some((record) => actionPath(record.action)[0] === part)) return undefined;
    return records.map((record) => recordSentence(record, [], names)).join('; ');
  }

  // The label names the row if the text does not.
  function button(text, action, { title = null, isDisabled = false, row = '', run = () => act(action), part = actionPath(action).join('.') } = {}) {
    return h('button', { type: 'button', title, onclick: run, dataPart: part, disabled: isFixed() || isDisabled,
      ariaLabel: row === '' ? null : `${text}: ${row}` }, text);
  }

  function form(verb, choices) {
    const parts = verb.needs.map((need) => {
      const options = choices(need.name);
      const field = fieldFor(isList(options) ? { kind: 'enum', names: options } : need.type,
        { name: words(need.name), types: verbs.types, onChange: () => field.tell?.(null) });
      const now = view.title;
      if (isList(options) && options.includes(now)) field.set(now);
      return [need.name, field];
    });
    return h('form', { class: 'bar', onsubmit: async (event) => {
      event.preventDefault();
      const wrong = parts.filter(([, field]) => field.problem() !== null);
      for (const [, field] of wrong) field.tell(field.problem());
      if (wrong.length > 0) return;
      const action = inFeature(verb.name, Object.fromEntries(parts.map(([part, field]) => [part, field.value()])));
      const blank = parts.flatMap(([, field]) => field.blank?.() ?? []);
      const refusal = blank.length === 0 ? null : await refusalOf([action]).catch(() => null);
      const missing = refusal === null ? undefined : blank.find((field) => fillIn(field, refusal) !== null);
      if (missing === undefined) return void await act(action);
      missing.tell(fillIn(missing, refusal));
      missing.at([]).focus();
    } }, parts.map(([, field]) => field.element),
      h('button', { type: 'submit', title: verb.about, dataPart: verb.name, disabled: isFixed() }, called(verb)));
  }

  function makeList(key) {
    let rows = [];
    // Rows have the title of their feature.
    const title = key === 'rows' && name !== '' ? own.called ?? words(name) : words(key);
    const heading = h('h3', { tabindex: -1 });
    // There are few questions, and their heights depend on the answers.
    const cards = h('ul', { class: 'cards' });
    const list = new VirtualList({
      label: title, role: 'list', rowRole: 'listitem', rowHeight, class: 'rows', key: (index) => rows[index]?.id ?? index,
      render: (index, node) => {
        node ??= h('div', {});
        const row = rows[index];
        refill(node, JSON.stringify([row, isFixed(), verbs.ofRow.length, own.ofRow(row, model.state), own.sign?.(row, model.state)]), line(row), verbsFor(row));
        return node;
      },
    });
    const part = h('section', { ariaLabel: title }, heading, cards, list.element);
    return {
      element: part,
      set(next) {
        const focused = part.contains(document.activeElement) ? document.activeElement : null;
        const left = rows[focused?.closest('.virtual-row')?.dataset.index];
        const place = rows.indexOf(left);
        rows = next;
        const areQuestions = rows.some((row) => isList(row?.options));
        heading.textContent = rows.length === 0 ? `${title}: none` : `${title} (${count(rows.length)})`;
        list.element.hidden = rows.length === 0 || areQuestions;
        cards.hidden = !areQuestions;
        list.element.style.blockSize = `${Math.min(Math.max(rows.length, 1), rowsSeenMax) * rowHeight + 2}px`;
        list.setCount(areQuestions ? 0 : rows.length);
        refill(cards, JSON.stringify([rows, isFixed(), verbs.ofRow.length]), areQuestions ? rows.map((row) => h('li', {}, card(row))) : null);
        if (focused === null) return;
        // If the focused row was removed, focus the one in its place.
        if (left?.id !== undefined && !areQuestions && rows.length > 0 && !rows.some(({ id }) => id === left.id)) {
          const index = Math.min(place, rows.length - 1);
          list.show(index);
          list.draw();
          const controls = [...list.node(rows[index]?.id ?? index)?.querySelectorAll('[data-part]') ?? []].filter((control) => !control.disabled);
          (controls.find((control) => control.dataset.part === focused.dataset.part) ?? controls[0])?.focus({ preventScroll: true });
        }
        if (!part.contains(document.activeElement) || document.activeElement.closest('[hidden]') !== null) heading.focus({ preventScroll: true });
      },
    };
  }

  function line(row) {
    if (!isRecord(row)) return face(row, name);
    const main = own.main ?? ['title', 'name', 'text', 'id'].find((key) => typeof row[key] === 'string' && row[key] !== '') ?? 'id';
    const link = ['link', 'url'].find((key) => /^https?:\/\//.test(row[key] ?? ''));
    const rest = Object.entries(row).filter(([key, value]) => key !== main && key !== 'id' && key !== link && key !== 'enabled'
      && !own.hides.includes(key) && value !== false && value !== '' && !(value === 0 && key !== 'count'));
    return [
      own.sign === undefined ? null : h('span', { class: 'sign', 'aria-hidden': 'true' }, own.sign(row, model.state)),
      typeof row.id === 'number' && main !== 'id' ? h('span', { class: 'id' }, row.id) : null,
      h('button', { type: 'button', class: 'link text', dataPart: 'row', onclick: () => open(row) }, face(row[main], `${name}.${main}`)),
      rest.map(([key, value]) => h('span', { class: 'cell hint', title: words(key) }, value === true ? words(key) : face(value, `${name}.${key}`))),
      link === undefined ? null : h('a', { href: row[link], target: '_blank', rel: 'noopener noreferrer', title: row[link] }, 'Open'),
    ];
  }

  function open(row) {
    if (row.id === undefined) return;
    actions.select({ path: pathOf(name, row.id, model), value: row });
    actions.openPanel('blame', { focus: false });
  }

  function nameOf(row) { return visible(String(row[own.main] ?? row.title ?? row.name ?? row.text ?? row.id ?? ''), { max: 60 }); }

  function verbsFor(row) {
    if (!isRecord(row)) return null;
    const simple = row.id === undefined ? [] : verbs.ofRow.filter((verb) => verb.needs.length === 0 && own.words[verb.name] !== null);
    return h('span', { class: 'verbs' },
      own.ofRow(row, model.state).map(([text, action]) => button(text, action, { row: nameOf(row) })),
      simple.map((verb) => button(called(verb, row), inFeature(verb.name, { id: row.id }),
        { title: verb.about, isDisabled: row.enabled === false, row: nameOf(row) })));
  }

  function card(row) {
    const answering = verbs.ofRow.filter((verb) => verb.needs.length === 1 && verb.needs[0].type.kind === 'string');
    const answer = (verb, text) => act(inFeature(verb.name, { id: row.id, [verb.needs[0].name]: text }));
    return [
      h('p', { class: 'question' }, visible(own.question?.(row) ?? nameOf(row)),
        row.deadline === undefined ? null : h('span', { class: 'hint' }, ` until ${face(row.deadline, `${name}.deadline`)}`)),
      row.waits === true ? h('p', { class: 'hint' }, 'It waits for the answer to another question.') : answering.map((verb) => {
        if (row.options.length > 0 && row.options.length <= buttonsMax) {
          return h('div', { class: 'choice' }, row.options.map((option) => button(visible(option),
            inFeature(verb.name, {}), { run: () => answer(verb, option), part: `${row.id} ${option}` })));
        }
        const control = row.options.length > 0 ? h('select', { ariaLabel: 'Answer' }, row.options.map((option) => h('option', { value: option }, option)))
          : h('input', { type: 'text', ariaLabel: 'Answer', autocomplete: 'off' });
        return h('form', { class: 'bar', onsubmit: (event) => { event.preventDefault(); answer(verb, control.value); } }, control,
          h('button', { type: 'submit', dataPart: verb.name, disabled: isFixed() }, called(verb, row)));
      }),
      verbsFor(row),
    ];
  }
}

function isList(value) { return Array.isArray(value); }

// A row corresponds to a state element if the state has a list with its id.
function pathOf(feature, id, model) {
  const state = feature === '' ? model.state : model.state[feature] ?? {};
  const entry = Object.entries(state).find(([, value]) => isList(value) && value.some((element) => element?.id === id));
  if (entry === undefined) return feature;
  return `${feature === '' ? '' : `${feature}.`}${entry[0]}[${typeof id === 'number' ? id : JSON.stringify(id)}]`;
}

// A value in one line; its path tells a time from a number.
function face(value, path) {
  if (typeof value === 'string') return visible(value);
  return value !== null && typeof value === 'object' ? short(value, 120) : compact(value, path);
}

// Splits "moreEnabled" into words.
function words(name) {
  const spaced = name.replace(/([a-z])([A-Z])/g, (_, a, b) => `${a} ${b.toLowerCase()}`);
  return capitalised(spaced);
}

const simple = new Set(['bool', 'int', 'float', 'string']);
/// Maximum number of values asked for next to a button. Actions with more have a form in a panel.
const askedMax = 2;

/// The actions of a feature as `{name, about, needs}` in three lists: `plain` need no input, `ofRow` need a row's id and the
/// fields in `needs`, `asking` need a few values.
async function verbsOf(feature) {
  const { actions, types } = await actionsOf(feature);
  const verbs = { plain: [], ofRow: [], asking: [], types };
  for (const { name, about, type } of actions) {
    const fields = fieldsOf(type, types);
    if (fields === null) continue;
    const needs = fields.filter(({ type: of }) => of.kind !== 'optional');
    const [first] = fields;
    const isOfRow = first?.name === 'id';
    const rest = needs.filter((field) => field !== first || !isOfRow);
    const verb = { name, about, needs: rest };
    if (rest.some(({ type: of }) => !simple.has(of.kind)) || rest.length > askedMax) continue;
    if (isOfRow) verbs.ofRow.push(verb);
    else (rest.length === 0 ? verbs.plain : verbs.asking).push(verb);
    // An action named by a text can be offered in any row.
    if (isOfRow && rest.length === 0 && first.type.kind === 'string') verbs.asking.push({ ...verb, needs: [first] });
  }
  return verbs;
}

// The fields of an action for the user, or null if its type is not a record.
function fieldsOf(type, types) {
  if (type.kind === 'optional') return fieldsOf(type.of, types);
  if (type.kind === 'named') return types.has(type.name) ? fieldsOf(types.get(type.name), types) : null;
  return type.kind === 'record' ? type.fields.filter(({ isFilledIn }) => !isFilledIn) : null;
}
