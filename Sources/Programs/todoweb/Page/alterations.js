// The differences of the altered history that is looked at: `model.alterations`, in the form of WhatIf.

/// The differences.
export function alterationsOf(model) { return model.alterations ?? []; }

/// Leaves a record out; with it goes its step.
export function leaveOut(model, sequence) { add(model, { skip: sequence }); }

/// Leaves a record out, or puts it back where it is left out.
export function switchRecord(model, sequence) {
  const there = alterationsOf(model).find(({ skip, through }) => skip === sequence && through === undefined);
  if (there === undefined) leaveOut(model, sequence); else withdraw(model, there);
}

/// Adds a difference. Of one record only the newest counts.
export function add(model, alteration) {
  const rest = alterationsOf(model).filter((other) => alteration.insert !== undefined || recordOf(other) !== recordOf(alteration)
    || other.insert !== undefined);
  model.set({ alterations: [...rest, alteration] });
}

/// Takes one out.
export function withdraw(model, alteration) {
  model.set({ alterations: alterationsOf(model).filter((other) => other !== alteration) });
}

/// The record that a difference is about.
export function recordOf(alteration) { return alteration.skip ?? alteration.edit ?? alteration.insert; }

/// Begins to put another action in a record's place: the form is filled with that of the record.
export function replaceAction(model, { sequence, action }) {
  model.set({ altering: { kind: 'edit', sequence, action } });
}
