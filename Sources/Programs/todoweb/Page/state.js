// The tabs of the state.

import { mountDifference } from './difference.js';
import { fill, h } from './dom.js';
import { count } from './format.js';
import { tabs } from './tabs.js';
import { mountTodos } from './todos.js';
import { mountTree } from './tree.js';

export function mount(element, context) {
  const { model, actions } = context;
  const title = h('h2', { id: 'state-title' }, 'State');
  fill(element, title);
  const control = tabs(element, {
    label: 'State', items: [
      { name: 'todos', title: 'Todos', mount: (panel) => mountTodos(panel, context) },
      { name: 'state', title: 'State', mount: (panel) => mountTree(panel, context) },
      { name: 'difference', title: 'Difference', mount: (panel) => mountDifference(panel, context) },
    ],
  });
  // Another program may have no todos.
  model.on('features', () => control.setHidden('todos', !model.features.some(({ name }) => name === 'todos')));
  actions.openTab = (name) => { control.open(name); document.getElementById(`tab-${name}`).focus(); };
  model.on(['stateSequence', 'moment', 'live'], () => {
    element.classList.toggle('stale', model.stateSequence !== model.moment && !model.live);
    title.textContent = model.stateSequence < 0 ? 'State' : model.live ? 'State now' : `State at @${count(model.stateSequence)}`;
  });
}
