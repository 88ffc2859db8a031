// A form for an action of any feature, as fields or as JSON.

import { parsePath } from './changes.js';
import { fill, h } from './dom.js';
import { fieldFor, fillIn, tellAll } from './fields.js';
import { actionsOf } from './interface.js';
import { actionPath } from './sentence.js';
import { problem } from './panel.js';

/// Returns `{element, action(), set(action), problem(), tell(error), sentenceOf(error)}`. `action()` is null until the daemon has
/// described its actions. `onChange()` is called at each change.
export function actionForm(context, { id, onChange }) {
  const { model } = context;
  const feature = h('select', { id: `${id}-feature`, onchange: () => openFeature() });
  const action = h('select', { id: `${id}-action`, onchange: () => openAction() });
  const about = h('p', { class: 'hint' });
  const place = h('div', { class: 'form' });
  const raw = h('textarea', { class: 'code', rows: 5, spellcheck: 'false', ariaLabel: 'The action as JSON', oninput: touched });
  const isRaw = h('input', { type: 'checkbox', onchange: () => switchForm() });
  const wrong = h('p', { class: 'wrong', role: 'alert' });
  const featureLabel = h('label', { class: 'field' }, h('span', {}, 'Feature'), feature);
  const choice = h('div', { class: 'pair' }, featureLabel, h('label', { class: 'field' }, h('span', {}, 'Action'), action));
  const element = h('div', { class: 'form' }, choice, about, place, h('label', { class: 'flag' }, isRaw,
    h('span', {}, 'as JSON')), wrong);
  let field = null;
  let described = null;
  let wished = null;
  let isTouched = false;

  const list = () => {
    fill(feature, model.features.map(({ name, title }) => h('option', { value: name }, title)));
    featureLabel.hidden = model.features.length < 2;
    if (wished !== null) set(wished); else if (model.features.length > 0) openFeature();
  };
  model.on('features', list);
  list();

  return { element, action: value, set, problem: problemNow, tell, sentenceOf, isTouched: () => isTouched };

  // Whether the feature is still selected after its actions were loaded.
  async function openFeature(name) {
    const chosen = model.features.find((other) => other.name === feature.value);
    if (chosen === undefined) return true;
    const isStill = () => chosen.name === feature.value;
    let read;
    try {
      read = await actionsOf(chosen);
    } catch (error) {
      if (isStill()) fill(wrong, problem(error));
      return isStill();
    }
    if (!isStill()) return false;
    described = read;
    fill(action, described.actions.map((each) => h('option', { value: each.name }, each.name)));
    if (name !== undefined) action.value = name;
    openAction();
    return true;
  }

  function openAction() {
    const chosen = described?.actions.find(({ name }) => name === action.value);
    if (chosen === undefined) return;
    fill(about, plainWords(chosen.about));
    const type = chosen.type.kind === 'optional' ? chosen.type.of : chosen.type;
    field = fieldFor(type, { name: chosen.name, types: described.types, onChange: touched });
    isTouched = false;
    fill(place, field.element);
    if (isRaw.checked) { raw.value = JSON.stringify(whole(field), null, 2); fill(place, raw); }
    changed();
  }

  function touched() { isTouched = true; changed(); }

  function changed() {
    wrong.textContent = '';
    if (isTouched && !isRaw.checked && field !== null) tellAll(field);
    onChange();
  }

  function switchForm() {
    if (field === null) return;
    if (isRaw.checked) {
      raw.value = JSON.stringify(problemOf(field) === null ? whole(field) : example(), null, 2);
      fill(place, raw);
      changed();
    } else {
      const written = parsed();
      if (written === null) openAction(); else set(written);
    }
  }

  function whole(inner) {
    const own = { [action.value]: inner.value() };
    return feature.value === '' ? own : { [feature.value]: own };
  }

  function example() {
    const own = { [action.value]: {} };
    return feature.value === '' ? own : { [feature.value]: own };
  }

  function problemOf(inner) { return inner.problem(); }

  function parsed() { try { return JSON.parse(raw.value); } catch { return null; } }

  function problemNow() {
    if (field === null) return 'The daemon has not described its actions yet.';
    if (!isRaw.checked) return problemOf(field);
    const written = parsed();
    return written !== null && typeof written === 'object' ? null : 'This is not the JSON of an action.';
  }

  function value() {
    if (problemNow() !== null) return null;
    return isRaw.checked ? parsed() : whole(field);
  }

  // Fills the form with an action. An action without a form, from a command, is shown as JSON.
  async function set(wish) {
    wished = model.features.length === 0 ? wish : null;
    if (wished !== null) return;
    const path = actionPath(wish);
    const isOnly = model.features.length === 1 && model.features[0].name === '';
    const [featureName, actionName] = isOnly ? ['', path[0]] : path;
    feature.value = featureName;
    if (!await openFeature(actionName)) return;
    const payload = isOnly ? wish[actionName] : wish[featureName]?.[actionName];
    const isKnown = described?.actions.some(({ name }) => name === actionName) === true;
    isRaw.checked = !isKnown;
    if (isKnown) {
      openAction();
      field.set(payload);
      changed();
    } else {
      raw.value = JSON.stringify(wish, null, 2);
      fill(place, raw);
      changed();
    }
  }

  // The blank text that an error is about.
  function missingFor(error) { return isRaw.checked ? undefined : field?.blank?.().find((blank) => fillIn(blank, error) !== null); }

  // The message of an error if the form was not filled in yet.
  function sentenceOf(error) {
    const missing = missingFor(error);
    return missing === undefined ? problem(error) : fillIn(missing, error);
  }

  // Shows an error at the field that it names.
  function tell(error) {
    if (error === null) { wrong.textContent = ''; return; }
    const missing = missingFor(error);
    if (missing !== undefined) { missing.tell(fillIn(missing, error)); return; }
    const path = error.parameters?.path;
    if (path !== undefined && !isRaw.checked && field !== null) {
      const steps = parsePath(path).map((step) => step.name ?? step.id ?? step.at);
      const below = steps.slice(feature.value === '' ? 1 : 2);
      if (below.length > 0 && field.at(below) !== null) { field.tell(problem(error), below); return; }
    }
    fill(wrong, problem(error), path === undefined ? '' : ` (at ${path})`);
  }
}

// Interface comments put names into backticks.
function plainWords(text) { return text.replaceAll('`', ''); }
