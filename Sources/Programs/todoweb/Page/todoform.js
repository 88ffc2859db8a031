// The fields of a todo, to be changed.

import { ask, refusalOf } from './ask.js';
import { openDialog } from './dialog.js';
import { h } from './dom.js';
import { problem as sentenceOf } from './panel.js';
import { visible } from './visible.js';

/// Asks for other values of a todo's fields, and dispatches what is different.
export function editTodo(todo, actions) {
  const [day = '', time = ''] = (todo.due ?? '').split('T');
  const title = h('input', { type: 'text', value: todo.title, required: true, autofocus: true });
  const note = h('textarea', { rows: 4, value: todo.note ?? '' });
  const tags = h('input', { type: 'text', value: (todo.tags ?? []).join(' '), placeholder: 'work home' });
  const date = h('input', { type: 'date', value: day });
  const hour = h('input', { type: 'time', value: time });
  const priority = h('select', {}, ['none', 'low', 'medium', 'high'].map((name, value) => h('option', { value }, name)));
  priority.value = todo.priority ?? 0;
  const field = (name, control) => h('label', { class: 'field' }, h('span', {}, name), control);
  const lines = [field('Title', title), field('Due', date), field('Time', hour), field('Priority', priority),
    field('Tags', tags), field('Note', note)];
  return openDialog({ title: `Edit ${visible(todo.title, { max: 60 })}`, lines, yes: 'Save', problem, save });

  // What is typed as it is dispatched: only what differs.
  function changes() {
    const due = date.value === '' ? '' : hour.value === '' ? date.value : `${date.value}T${hour.value}`;
    const wished = {
      title: title.value.trim(), note: note.value, due, priority: Number(priority.value),
      tags: tags.value.split(/[\s,#]+/).filter((tag) => tag !== ''),
    };
    const there = { title: todo.title, note: todo.note ?? '', due: todo.due ?? '', priority: todo.priority ?? 0,
      tags: todo.tags ?? [] };
    return Object.fromEntries(Object.entries(wished).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(there[name])));
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

// That these fields of a todo are still what they were when it was looked at, as input of a dispatch.
async function asItWas(todo, names) {
  const { state, sequence } = await ask('GetState', { scope: 'todos.items', id: todo.id });
  const [now] = state.todos.items;
  const other = names.find((name) => JSON.stringify(now[name]) !== JSON.stringify(todo[name]));
  if (other !== undefined) throw new Error(`The ${other} was changed by somebody else meanwhile. Nothing was done; what you wrote stays here.`);
  return { expectedSequence: sequence, scope: 'todos.items' };
}
