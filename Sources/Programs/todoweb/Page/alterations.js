// The edits of the shown what-if history: `model.alterations`, in the form of WhatIf.

export function alterationsOf(model) { return model.alterations ?? []; }

export function leaveOut(model, sequence) { add(model, { skip: sequence }); }

export function switchRecord(model, sequence) {
  const there = alterationsOf(model).find(({ skip, through }) => skip === sequence && through === undefined);
  if (there === undefined) leaveOut(model, sequence); else withdraw(model, there);
}

/// Adds an edit. Only the newest edit of a record counts.
export function add(model, alteration) {
  const rest = alterationsOf(model).filter((other) => alteration.insert !== undefined || recordOf(other) !== recordOf(alteration)
    || other.insert !== undefined);
  model.set({ alterations: [...rest, alteration] });
}

export function withdraw(model, alteration) {
  model.set({ alterations: alterationsOf(model).filter((other) => other !== alteration) });
}

export function recordOf(alteration) { return alteration.skip ?? alteration.edit ?? alteration.insert; }

/// Fills the form with a record's action for replacing it.
export function replaceAction(model, { sequence, action }) {
  model.set({ altering: { kind: 'edit', sequence, action } });
}
