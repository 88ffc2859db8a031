// The tabs of the state panel.

import { mountDifference } from './difference.js';
import { fill, h } from './dom.js';
import { count } from './format.js';
import { isShown, tabs } from './tabs.js';
import { mountTree } from './tree.js';
import { mount as mountViews } from './views.js';
import { VirtualList } from './virtual.js';

export function mount(element, context) {
  const { model, actions } = context;
  const title = h('h2', { id: 'state-title' }, 'State');
  fill(element, title);
  const control = tabs(element, {
    label: 'State', items: [
      { name: 'view', title: 'View', mount: (panel) => mountViews(panel, context) },
      { name: 'state', title: 'State', mount: (panel) => mountTree(panel, context) },
      { name: 'difference', title: 'Difference', mount: (panel) => mountDifference(panel, context) },
      { name: 'json', title: 'JSON', mount: (panel) => mountJSON(panel, context) },
    ],
  });
  actions.openTab = (name) => { control.open(name); document.getElementById(`tab-${name}`).focus(); };
  model.on(['stateSequence', 'moment', 'live', 'connection'], () => {
    element.classList.toggle('stale', model.stateSequence !== model.moment && !model.live);
    title.textContent = model.stateSequence < 0 ? 'State' : model.live ? 'State now' : `State at @${count(model.stateSequence)}`;
  });
}

function mountJSON(element, { model, actions }) {
  let lines = [];
  let shown = null;
  const list = new VirtualList({
    label: 'JSON', role: 'listbox', rowRole: 'option', rowHeight: 20, class: 'json', key: (index) => index,
    render: (index, node) => {
      node ??= h('div', {});
      if (node.line !== lines[index]) { node.line = lines[index]; fill(node, node.line); }
      node.setAttribute('aria-selected', String(index === list.active));
      return node;
    },
  });
  const copy = h('button', { type: 'button', onclick: () => actions.copy(JSON.stringify(model.state, null, 2), 'the state') },
    'Copy all');
  fill(element, h('div', { class: 'bar' }, copy), list.element);
  const update = () => {
    if (!isShown(element) || shown === model.state || model.isPartial) return;
    shown = model.state;
    lines = JSON.stringify(shown, null, 2).split('\n');
    list.setCount(lines.length);
  };
  element.addEventListener('shown', update);
  model.on(['state', 'isPartial'], update);
}
