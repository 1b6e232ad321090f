import type { UrlCondition } from '../core/url/url-condition.ts'
import type { Retention } from './retention.ts'
import { type SettingKey, settings } from './schema.ts'
import type { SourceRule } from './source-rules.ts'

type SettingOf<K extends SettingKey> = (typeof settings)[K]

type ValueOf<S> = S extends { kind: 'boolean' }
  ? boolean
  : S extends { kind: 'integer' | 'number' | 'duration' | 'bytes' }
    ? number
    : S extends { kind: 'choice'; choices: readonly (infer C)[] }
      ? C
      : S extends { kind: 'list' | 'cidrs' | 'nameservers' | 'parts' }
        ? readonly string[]
        : S extends { kind: 'retention' }
          ? Retention
          : S extends { kind: 'sources' }
            ? readonly SourceRule[]
            : S extends { kind: 'filter' }
              ? UrlCondition | null
              : string

type Field<Name extends string, S> = S extends { kind: 'duration' }
  ? `${Name}Ms`
  : S extends { kind: 'bytes' }
    ? `${Name}Bytes`
    : Name

type SectionOf<K> = K extends `${infer Section}.${string}` ? Section : never
type NameIn<K, Section extends string> = K extends `${Section}.${infer Name}` ? Name : never

/** All settings with their values. Frozen, and safe to pass to worker threads. */
export type Config = {
  readonly [Section in SectionOf<SettingKey>]: {
    readonly [K in SettingKey as Field<NameIn<K, Section>, SettingOf<K>>]: ValueOf<SettingOf<K>>
  }
} & { readonly retention: Retention; readonly sources: readonly SourceRule[] }

/** The field of a setting in its section: its name with its unit. */
export function fieldName(key: SettingKey): string {
  const name = key.slice(key.indexOf('.') + 1)
  const { kind } = settings[key]
  return kind === 'duration' ? `${name}Ms` : kind === 'bytes' ? `${name}Bytes` : name
}
