// Modal dialogs, which keep the input until it is accepted.

import { button, fill, h } from './dom.js';

let last = 0;

/// Opens a dialog; returns true if it was accepted.
///
/// - `lines`: texts or nodes, including fields.
/// - `yes`: the label of the accept button; without it the dialog only informs.
/// - `save()`: called at the press; null accepts and closes, a message keeps the dialog open.
export function openDialog({ title, lines = [], yes, save = async () => null }) {
  return new Promise((resolve) => {
    const name = `dialog-${++last}`;
    const wrong = h('p', { class: 'error', id: `${name}-wrong`, role: 'alert' });
    const accept = yes === undefined ? null
      : h('button', { type: 'submit', class: 'primary', 'aria-describedby': wrong.id }, yes);
    let isDeciding = false;
    const submit = async (event) => {
      event.preventDefault();
      if (isDeciding || accept === null) return;
      isDeciding = true;
      const refusal = await save();
      isDeciding = false;
      if (refusal === null) dialog.close('yes'); else fill(wrong, refusal);
    };
    const content = h('div', { class: 'dialog-lines' }, lines.map((line) => line instanceof Node ? line : h('p', {}, line)));
    // Text without controls must be scrollable by keyboard.
    if (content.querySelector('[autofocus]') === null) content.tabIndex = 0;
    const form = h('form', { novalidate: true, onsubmit: submit, oninput: () => fill(wrong) },
      h('h2', { id: name }, title), content, wrong,
      h('div', { class: 'buttons' }, accept,
        button(yes === undefined ? 'Close' : 'Cancel', () => dialog.close(''))));
    const dialog = h('dialog', { 'aria-labelledby': name, onclose: () => {
      dialog.remove();
      resolve(dialog.returnValue === 'yes');
    } }, form);
    document.body.append(dialog);
    dialog.showModal();
  });
}
