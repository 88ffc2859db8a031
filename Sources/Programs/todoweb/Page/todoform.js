// The fields of a todo, to be changed.

import { ask } from './ask.js';
import { h } from './dom.js';
import { askFields } from './formdialog.js';
import { cut } from './format.js';

const titleCharactersMin = 3;

/// What is wrong with a title, or ''.
export function titleProblem(title) {
  return [...title.trim()].length < titleCharactersMin ? `A title has at least ${titleCharactersMin} characters.` : '';
}

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
  const fields = [field('Title', title), field('Due', date), field('Time', hour), field('Priority', priority),
    field('Tags', tags), field('Note', note)];
  return askFields({ title: `Edit ${cut(todo.title, 60)}`, fields, yes: 'Save', problem, save });

  function problem() {
    if (titleProblem(title.value) !== '') return titleProblem(title.value);
    return date.value === '' && hour.value !== '' ? 'A time needs a day.' : '';
  }

  async function save() {
    const due = date.value === '' ? '' : hour.value === '' ? date.value : `${date.value}T${hour.value}`;
    const wished = {
      title: title.value.trim(), note: note.value, due, priority: Number(priority.value),
      tags: tags.value.split(/[\s,#]+/).filter((tag) => tag !== ''),
    };
    const there = { title: todo.title, note: todo.note ?? '', due: todo.due ?? '', priority: todo.priority ?? 0,
      tags: todo.tags ?? [] };
    const changes = Object.fromEntries(Object.entries(wished).filter(([name, value]) =>
      JSON.stringify(value) !== JSON.stringify(there[name])));
    if (Object.keys(changes).length === 0) { actions.say('Nothing was changed.'); return null; }
    const answer = await actions.dispatch([{ todos: { edit: { id: todo.id, ...changes } } }], `Changed: ${cut(wished.title, 80)}`,
      { guard: () => asItWas(todo, Object.keys(changes)) });
    // What was refused is told in the status line, which lies behind the dialog.
    return answer === null ? document.getElementById('status').textContent : null;
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
