// The views of the features: the todo list, and generic views for all others.

import { fill, h } from './dom.js';
import { featureView } from './featureview.js';
import { isShown } from './tabs.js';
import { mountTodos } from './todos.js';

export function mount(element, context) {
  const { model } = context;
  let current = null;
  const parts = new Map();
  const choice = h('div', { class: 'choice', role: 'group', ariaLabel: 'Features' });
  const place = h('div', { class: 'view' });
  const none = h('p', { class: 'hint' });
  fill(element, choice, none, place);
  model.on('connection', () => {
    none.textContent = model.connection === 'lost' && model.features.length === 0 ? 'Without its token this page can show no state.' : '';
  });
  element.addEventListener('shown', () => parts.get(current)?.update());
  model.on('features', () => {
    fill(choice, model.features.length < 2 ? null : model.features.map(({ name, title }) =>
      h('button', { type: 'button', 'aria-pressed': false, dataName: name, onclick: () => open(name) }, title)));
    fill(place);
    parts.clear();
    if (model.features.length > 0) open(model.features.some(({ name }) => name === current) ? current : model.features[0].name);
  });
  model.on(['state', 'isPartial', 'selection', 'developer', 'readOnly', 'live', 'connection'], () => { if (isShown(element)) parts.get(current)?.update(); });

  function open(name) {
    current = name;
    for (const button of choice.children) button.setAttribute('aria-pressed', String(button.dataset.name === name));
    if (!parts.has(name)) {
      const panel = h('div', { class: 'feature' });
      place.append(panel);
      const isTodos = name === 'todos' && Array.isArray(model.state.todos?.items ?? []);
      const feature = model.features.find((other) => other.name === name);
      parts.set(name, { panel, update: isTodos ? mountTodos(panel, context) : featureView(panel, feature, context) });
    }
    for (const [other, { panel }] of parts) panel.hidden = other !== name;
    parts.get(name).update();
  }
}
