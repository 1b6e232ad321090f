import type { Change } from '../../core/change/change.ts'
import type { Version } from '../../store/contracts/versions.ts'

/** Changes worth a notification, and those that are noise: counters, relative times and the like. */
export type ToldChanges = { readonly told: readonly Change[]; readonly noise: readonly Change[] }

export type TellApart = (changes: readonly Change[]) => ToldChanges

/** Tells noise from news, for all views of one version. */
export async function noiseOf(_version: Version): Promise<TellApart> {
  return (changes) => ({ told: changes, noise: [] })
}
