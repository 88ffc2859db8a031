// The tabs of the state panel.

import { h, fill } from './dom.js';
import { count } from './format.js';
import { mountDifference } from './difference.js';
import { mountJSON } from './json.js';
import { mountTree } from './tree.js';
import { tabs } from './tabs.js';
import { mount as mountViews } from './views.js';

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
