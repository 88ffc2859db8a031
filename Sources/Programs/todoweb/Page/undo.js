// The steps, each of which can be undone or redone after a preview.

import { fill, h } from './dom.js';
import { when } from './format.js';
import { commandStatus, stepStatus } from './order.js';
import { newest, note, recordLink, section, whileShown, who } from './panel.js';
import { redoLast, redoStep, undoLast, undoStep } from './propose.js';
import { visible } from './visible.js';
import { stream } from './wire.js';

const pageSteps = 40;
const stepsMax = 2000;
const pauseMilliseconds = 300;

export function mount(element, context) {
  const { model, actions } = context;
  const status = note();
  const any = h('input', { type: 'checkbox', checked: true, onchange: ask });
  const input = () => any.checked ? { any: true } : {};
  const button = (text, onclick) => h('button', { type: 'button', onclick }, text);
  const writes = h('div', { class: 'choice' }, button('Undo the last step…', () => undoLast(context, input())),
    button('Redo…', () => redoLast(context, input())));
  const list = h('ol', { class: 'history' });
  const more = h('button', { type: 'button', hidden: true, onclick: () => { wanted = Math.min(wanted + pageSteps, stepsMax); ask(); } },
    'More');
  let wanted = pageSteps;
  const question = newest({ pause: pauseMilliseconds, patience: 2000, run: read, onError: status.fail });
  fill(element, writes, section('Steps', h('label', { class: 'flag' }, any, h('span', {}, 'Steps of all users')), status.element,
    list, more));
  whileShown(element, model, ['head', 'epoch', 'readOnly', 'connection'], ask);

  function ask() {
    writes.hidden = model.readOnly;
    if (model.epoch !== null && model.connection === 'up') question.ask();
  }

  async function read(signal) {
    const steps = [];
    await stream('Steps', { limit: wanted, ...input() }, (reply) => {
      for (const step of reply.steps) steps.push(step);
      if (reply.reached !== undefined && steps.length === 0) status.say(`Searched back to @${reply.reached}…`);
    }, { signal });
    const records = await Promise.all(steps.map((step) => actions.records.load(step.step).catch(() => undefined)));
    if (signal.aborted) return;
    status.say(steps.length === 0 ? 'There is no step to undo.' : '');
    more.hidden = steps.length < wanted || wanted >= stepsMax;
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.step : undefined;
    fill(list, steps.map((step, index) => line(step, records[index])));
    if (focused !== undefined) (list.querySelector(`button[data-step="${focused}"]`) ?? any).focus();
  }

  function line(step, record) {
    const name = record === undefined ? `@${step.step} ${step.actions.map(visible).join(', ')}` : recordLink(record, context);
    const ends = step.ends.filter(({ outcome }) => outcome !== 'result')
      .map(({ outcome, count }) => `${count} ${commandStatus({ fate: 'ended' }, outcome)}`);
    const facts = [when(step.time), who(step.origin), stepStatus(step), ...ends, step.open > 0 ? `${step.open} open` : ''];
    const [text, act] = step.stage === 'undone'
      ? ['Redo…', () => redoStep(context, step.step, step.by)] : ['Undo…', () => undoStep(context, step.step)];
    return h('li', {}, name, step.records > 1 ? h('span', { class: 'hint' }, ` and ${step.records - 1} more`) : null,
      h('div', { class: 'hint' }, `${facts.filter((fact) => fact !== '').join(', ')} `,
        model.readOnly ? null : h('button', { type: 'button', class: 'link', dataStep: step.step, onclick: act,
          ariaLabel: `${text} @${step.step}` }, text)));
  }
}
