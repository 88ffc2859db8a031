// The edit form of a todo.

import { ask, refusalOf } from './ask.js';
import { openDialog } from './dialog.js';
import { h } from './dom.js';
import { problem as sentenceOf } from './panel.js';
import { visible } from './visible.js';

/// Opens the edit dialog and dispatches the changed fields.
export function editTodo(todo, actions) {
  const [day = '', time = ''] = (todo.due ?? '').split('T');
  const title = h('input', { type: 'text', value: todo.title, required: true, autofocus: true });
  const note = h('textarea', { rows: 4, value: todo.note ?? '' });
  const tags = h('input', { type: 'text', value: (todo.tags ?? []).map(written).join(' '), placeholder: 'work home "to do"' });
  const date = h('input', { type: 'date', value: day });
  const hour = h('input', { type: 'time', value: time });
  const priority = h('select', {}, ['none', 'low', 'medium', 'high'].map((name, value) => h('option', { value }, name)));
  priority.value = todo.priority ?? 0;
  const field = (name, control) => h('label', { class: 'field' }, h('span', {}, name), control);
  const lines = [field('Title', title), field('Due', date), field('Time', hour), field('Priority', priority),
    field('Tags', tags), field('Note', note)];
  // Controls may normalize texts, so untouched controls are ignored.
  const first = new Map([title, note, tags, date, hour, priority].map((control) => [control, control.value]));
  return openDialog({ title: `Edit ${visible(todo.title, { max: 60 })}`, lines, yes: 'Save', problem, save });

  function changes() {
    const due = date.value === '' ? '' : hour.value === '' ? date.value : `${date.value}T${hour.value}`;
    const wished = [
      ['title', title.value.trim(), todo.title, title], ['note', note.value, todo.note ?? '', note],
      ['due', due, todo.due ?? '', date, hour], ['priority', Number(priority.value), todo.priority ?? 0, priority],
      ['tags', tagsIn(tags.value), todo.tags ?? [], tags],
    ];
    return Object.fromEntries(wished.filter(([, value, there, ...controls]) =>
      controls.some((control) => control.value !== first.get(control)) && JSON.stringify(value) !== JSON.stringify(there)));
  }

  function edit(fields) { return [{ todos: { edit: { id: todo.id, ...fields } } }]; }

  async function problem(signal) {
    if (date.value === '' && hour.value !== '') return 'A time needs a day.';
    const fields = changes();
    if (Object.keys(fields).length === 0) return '';
    const refusal = await refusalOf(edit(fields), { signal });
    return refusal === null ? '' : sentenceOf(refusal);
  }

  async function save() {
    const fields = changes();
    if (Object.keys(fields).length === 0) { actions.say('Nothing was changed.'); return null; }
    const { refusal } = await actions.dispatch(edit(fields), `Changed: ${visible(fields.title ?? todo.title, { max: 80 })}`,
      { guard: () => asItWas(todo, Object.keys(fields)) });
    return refusal;
  }
}

// Quotes a tag as JSON if it would be parsed as several.
function written(tag) { return /^[^\s,#"]+$/.test(tag) ? tag : JSON.stringify(tag); }

function tagsIn(text) {
  const parts = text.match(/"(?:[^"\\]|\\.)*"|[^\s,#"]+/g) ?? [];
  return parts.map((part) => part.startsWith('"') ? unquoted(part) : part).filter((tag) => tag !== '');
}

function unquoted(part) { try { return JSON.parse(part); } catch { return part.slice(1, -1); } }

// The expected current values of the fields, as input of a dispatch.
async function asItWas(todo, names) {
  const { state, sequence } = await ask('GetState', { scope: 'todos.items', id: todo.id });
  const [now] = state.todos.items;
  const other = names.find((name) => JSON.stringify(now[name]) !== JSON.stringify(todo[name]));
  if (other !== undefined) throw new Error(`The ${other} was changed by another user. Nothing was done; your text stays here.`);
  return { expectedSequence: sequence, scope: 'todos.items' };
}
