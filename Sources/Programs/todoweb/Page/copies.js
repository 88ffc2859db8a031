// Copies the selected value in several forms.

import { h } from './dom.js';
import { quoted } from './format.js';

export function copyTools({ model, actions }) {
  const button = (label, make) => h('button', { type: 'button', onclick: () => copy(label, make) }, label);
  const tools = h('div', { class: 'copies', role: 'group', ariaLabel: 'Copy the selected value' },
    h('span', { class: 'hint', 'aria-hidden': 'true' }, 'Copy'),
    button('path', ({ path }) => path), button('JSON', ({ value }) => JSON.stringify(value, null, 2)),
    button('command', ({ path }) => command(path, model)), button('test', ({ path, value }) => test(path, value, model)));
  const show = () => {
    for (const control of tools.querySelectorAll('button')) control.disabled = model.selection?.path === undefined;
  };
  model.on('selection', show);
  show();
  return tools;

  function copy(label, make) {
    const words = make(model.selection);
    if (words === null) actions.say('Only a single value can be copied as a test. Select a number, a text, true or false.',
      { error: true });
    else actions.copy(words, `the ${label}`);
  }
}

/// The command that shows who set a value or a scope at the shown moment.
function command(path, model) {
  const at = model.live ? '' : ` --at ${model.moment}`;
  return /^\w+(\.\w+)?$/.test(path) ? `todoctl state ${path}${at}` : `todoctl blame ${quoted(path)}${at}`;
}

/// The command that tests for the value at this moment.
function test(path, value, model) {
  if (value !== null && typeof value === 'object') return null;
  const condition = typeof value === 'string' ? `${path} == ${JSON.stringify(value)}` : value === null ? `not ${path}`
    : `${path} == ${value}`;
  return `todoctl check --where ${quoted(condition)} --from ${model.moment} --to ${model.moment}`;
}
