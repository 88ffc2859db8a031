// Dispatches an action that is written as text, after a preview. In the past it can be part of a what-if history instead.

import { button, fill, h } from './dom.js';
import { quotedJSON } from './format.js';
import { actionsOf } from './interface.js';
import { problem, whileShown } from './panel.js';
import { propose } from './propose.js';
import { actionSentence } from './sentence.js';
import { add } from './whatif.js';

const firstExample = 'todos add';

export function mount(element, context) {
  const { model, actions } = context;
  const about = h('p', { class: 'hint' });
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const text = h('textarea', { class: 'code', rows: 12, spellcheck: 'false', ariaLabel: 'The action as JSON',
    oninput: () => fill(wrong) });
  const examples = h('select', { ariaLabel: 'Example', onchange: prefill });
  const tool = (label, act) => button(label, () => {
    const action = written();
    fill(wrong, action === null ? 'This is not the JSON of an action.' : '');
    if (action !== null) act(action);
  });
  const send = tool('Dispatch…', dispatch);
  const copy = tool('Copy as command', (action) => actions.copy(`todoctl dispatch ${quotedJSON(action)}`, 'the command'));
  // The action in the place of the shown record, or after it.
  const alter = (kind) => (action) => { add(model, { [kind]: model.moment, action }); actions.openPanel('whatif'); };
  const whatIf = [tool('What if instead of the record', alter('edit')), tool('What if after the record', alter('insert'))];
  const hint = h('p', { class: 'hint' });
  let described = [];
  fill(element, h('div', { class: 'form' }, h('label', { class: 'field' }, h('span', {}, 'Example'), examples), about, text,
    wrong, hint, h('div', { class: 'choice' }, send, whatIf, copy)));
  whileShown(element, model, ['features'], learn);
  whileShown(element, model, ['live', 'readOnly', 'moment', 'base'], () => {
    send.hidden = model.readOnly;
    whatIf[0].hidden = model.moment <= model.base;
    fill(hint, model.readOnly ? 'This page is read-only: nothing can be dispatched.'
      : model.live ? '' : 'This is the past. An action that is dispatched changes the present.');
  });
  /// Goes to a record and writes an action.
  actions.fillAction = (action, sequence) => {
    actions.go(sequence);
    actions.openPanel('dispatch');
    text.value = JSON.stringify(action, null, 2);
    text.focus();
  };

  async function learn() {
    try {
      described = (await Promise.all(model.features.map(async (feature) => (await actionsOf(feature)).map((action) =>
        ({ ...action, title: feature.name === '' ? action.name : `${feature.name} ${action.name}` }))))).flat();
    } catch (error) {
      return fill(wrong, problem(error));
    }
    fill(examples, described.map(({ title }) => h('option', { value: title }, title)));
    if (text.value !== '') return;
    if (described.some(({ title }) => title === firstExample)) examples.value = firstExample;
    prefill();
  }

  function prefill() {
    const chosen = described.find(({ title }) => title === examples.value);
    fill(about, chosen?.about);
    fill(wrong);
    if (chosen !== undefined) text.value = JSON.stringify(chosen.example, null, 2);
  }

  function written() {
    try {
      const action = JSON.parse(text.value);
      return typeof action === 'object' ? action : null;
    } catch { return null; }
  }

  function dispatch(action) {
    const sentence = actionSentence(action);
    return propose(context, {
      method: 'Dispatch', input: { actions: [action], epoch: model.epoch }, title: 'Dispatch this action?', yes: 'Dispatch',
      nothing: `Nothing would change: ${sentence}.`,
      done: ({ sequences: [step], ids, commandsHeld }) => `Dispatched as @${step}: ${sentence}.`
        + (ids.length === 0 ? '' : ` Its id is ${ids.join(', ')}.`)
        + (commandsHeld ? ' Its commands are held until they are released.' : ''),
      onError: (error) => {
        const path = error.parameters?.path;
        fill(wrong, problem(error), path === undefined ? '' : ` (at ${path})`);
        return true;
      },
    });
  }
}
