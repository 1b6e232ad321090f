import type { Retention } from './retention.ts'
import { type SettingKey, settings } from './schema.ts'
import type { NameIn, SectionOf, SettingValue } from './setting-value.ts'
import type { SourceRule } from './source-rules.ts'

type SettingOf<K extends SettingKey> = (typeof settings)[K]

type Values = {
  duration: number
  bytes: number
  retention: Retention
  sources: readonly SourceRule[]
}

type Field<Name extends string, S> = S extends { kind: 'duration' }
  ? `${Name}Ms`
  : S extends { kind: 'bytes' }
    ? `${Name}Bytes`
    : Name

/** All settings with their values. Frozen, and safe to pass to worker threads. */
export type Config = {
  readonly [Section in SectionOf<SettingKey>]: {
    readonly [K in SettingKey as Field<NameIn<K, Section>, SettingOf<K>>]: SettingValue<SettingOf<K>, Values>
  }
} & { readonly retention: Retention; readonly sources: readonly SourceRule[] }

/** The field of a setting in its section: its name with its unit. */
export function fieldName(key: SettingKey): string {
  const name = key.slice(key.indexOf('.') + 1)
  const { kind } = settings[key]
  return kind === 'duration' ? `${name}Ms` : kind === 'bytes' ? `${name}Bytes` : name
}
