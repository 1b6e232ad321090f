import type { UrlCondition } from '../core/url/url-condition.ts'

/** The type of a setting's value. `Written` has the types of the kinds that are written differently than used (`2s`, `5MB`). */
export type SettingValue<S, Written> = S extends { kind: keyof Written }
  ? Written[S['kind']]
  : S extends { kind: 'boolean' }
    ? boolean
    : S extends { kind: 'integer' | 'number' }
      ? number
      : S extends { kind: 'choice'; choices: readonly (infer C)[] }
        ? C
        : S extends { kind: 'list' | 'cidrs' | 'nameservers' | 'parts' }
          ? readonly string[]
          : S extends { kind: 'filter' }
            ? UrlCondition | null
            : string

export type SectionOf<K> = K extends `${infer Section}.${string}` ? Section : never
export type NameIn<K, Section extends string> = K extends `${Section}.${infer Name}` ? Name : never
