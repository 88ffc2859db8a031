// The fields of a todo, to be changed.

import { h } from './dom.js';
import { cut } from './format.js';

/// Asks for other values of a todo's fields, and dispatches what is different.
export async function editTodo(todo, actions) {
  const [day = '', time = ''] = (todo.due ?? '').split('T');
  const title = h('input', { type: 'text', value: todo.title, required: true, autofocus: true });
  const note = h('textarea', { rows: 4, value: todo.note ?? '' });
  const tags = h('input', { type: 'text', value: (todo.tags ?? []).join(' '), placeholder: 'work home' });
  const date = h('input', { type: 'date', value: day });
  const hour = h('input', { type: 'time', value: time });
  const priority = h('select', {}, ['none', 'low', 'medium', 'high'].map((name, value) => h('option', { value }, name)));
  priority.value = todo.priority ?? 0;
  const field = (name, control) => h('label', { class: 'field' }, h('span', {}, name), control);
  const fields = [field('Title', title), field('Due', date), field('Time', hour), field('Priority', priority),
    field('Tags', tags), field('Note', note)];
  if (!await actions.confirm({ title: `Edit ${cut(todo.title, 60)}`, lines: fields, yes: 'Save' })) return;
  const due = date.value === '' ? '' : hour.value === '' ? date.value : `${date.value}T${hour.value}`;
  const wished = {
    title: title.value.trim(), note: note.value, due, priority: Number(priority.value),
      tags: tags.value.split(/[\s,#]+/).filter((tag) => tag !== ''),
  };
  const there = { title: todo.title, note: todo.note ?? '', due: todo.due ?? '', priority: todo.priority ?? 0,
    tags: todo.tags ?? [] };
  const changes = Object.fromEntries(Object.entries(wished).filter(([name, value]) =>
    JSON.stringify(value) !== JSON.stringify(there[name])));
  if (Object.keys(changes).length === 0) return actions.say('Nothing was changed.');
  await actions.dispatch([{ todos: { edit: { id: todo.id, ...changes } } }], `Changed: ${cut(wished.title, 80)}`);
}
