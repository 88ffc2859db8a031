// A dialog with fields: what was typed stays until it is accepted.

import { fill, h } from './dom.js';

/// Asks for what `fields` hold. `problem()` says what is wrong with them, or ''. `save()` answers null where it was accepted, which
/// closes the dialog, else a sentence that is shown in it. Resolves when it is closed.
export function askFields({ title, fields, yes, problem, save }) {
  return new Promise((resolve) => {
    const wrong = h('p', { class: 'error', id: 'dialog-wrong', role: 'alert' });
    const accept = h('button', { type: 'submit', class: 'primary', 'aria-describedby': 'dialog-wrong' }, yes);
    const check = () => {
      const reason = problem();
      wrong.textContent = reason;
      accept.disabled = reason !== '';
    };
    const submit = async (event) => {
      event.preventDefault();
      accept.disabled = true;
      const refusal = await save();
      accept.disabled = false;
      if (refusal === null) dialog.close(); else wrong.textContent = refusal;
    };
    const dialog = h('dialog', { 'aria-labelledby': 'dialog-title', onclose: () => { dialog.remove(); resolve(); } },
      fill(h('form', { novalidate: true, onsubmit: submit, oninput: check }),
        h('h2', { id: 'dialog-title' }, title), h('div', { class: 'dialog-lines' }, fields), wrong,
        h('div', { class: 'buttons' }, accept, h('button', { type: 'button', onclick: () => dialog.close() }, 'Cancel'))));
    document.body.append(dialog);
    dialog.showModal();
    check();
  });
}
