import { useState } from 'react'
import { IconButton } from '../kit/button.tsx'
import { Field } from '../kit/field.tsx'
import { Input, optionsOf, Select } from '../kit/input.tsx'
import { AccessFields, fittingAccess, useAbilities } from './access-fields.tsx'
import type { DraftSource, DraftTerm, ScopeKind } from './draft.ts'
import { KindFields } from './kind-fields.tsx'
import { PartFields } from './part-fields.tsx'
import { formatSource, formOfKind, parseSource, type SourceForm, type SourceKind } from './source-uri.ts'
import { strings } from './strings.ts'
import { TrySource, useTrySource } from './try-source.tsx'
import { useFieldError } from './validation-errors.ts'
import { WindowFields } from './window-fields.tsx'

const text = strings.sources
const processes = optionsOf(text.processes)
const kinds = optionsOf(text.kinds)
const scopes = optionsOf(text.scopes)
const intervals = [...optionsOf(text.intervals), { value: 'own', label: text.ownInterval }]
const depths = [0, 1, 2, 3, 4, 5, 6, 8, 10]

type Props = {
  at: number
  source: DraftSource
  isOnly: boolean
  hasInterests: boolean
  terms: readonly DraftTerm[]
  onChange: (changes: Partial<DraftSource>) => void
  onRemove: () => void
}

export function SourceFields({ at, source, isOnly, hasInterests, terms, onChange, onRemove }: Props) {
  const place = `sources[${at}]`
  const tried = useTrySource(source, terms)
  const errors = {
    uri: useFieldError(`${place}.uri`) ?? tried.errorOf('uri'),
    every: useFieldError(`${place}.every`),
    everyMax: useFieldError(`${place}.everyMax`),
    depth: useFieldError(`${place}.depth`),
    scope: useFieldError(`${place}.scope`),
    process: useFieldError(`${place}.process`),
    render: useFieldError(`${place}.render`) ?? tried.errorOf('render'),
    credentials: useFieldError(`${place}.credentials`) ?? tried.errorOf('credentials'),
    method: useFieldError(`${place}.method`) ?? tried.errorOf('method'),
  }
  const { form, setForm, can } = useSourceForm(source, onChange)
  const [isOpen, setIsOpen] = useState(source.depth > 0 || source.window !== null || source.everyMax !== '')
  const depthOptions = [...new Set([...depths, source.depth])].map((depth) => ({
    value: String(depth),
    label: text.depths(depth),
  }))
  return (
    <li className="kit-stack profiles-source">
      <div className="profiles-uri">
        <Field label={text.kind}>
          <Select
            value={form.kind}
            options={form.kind === 'other' ? kinds : kinds.filter(({ value }) => value !== 'other')}
            onChange={(kind) => setForm(formOfKind(kind as SourceKind, form))}
          />
        </Field>
        {!isOnly && <IconButton icon="trash" label={text.remove(at + 1)} tip="end" onClick={onRemove} />}
      </div>
      <KindFields form={form} error={errors.uri} label={text.address(isOnly ? null : at + 1)} onChange={setForm} />
      <AccessFields
        form={form}
        access={source.access}
        can={can}
        errors={errors}
        onForm={setForm}
        onAccess={(changes) => {
          const access = { ...source.access, ...changes }
          const steps = access.render === 'browser' || form.kind !== 'page' ? {} : { steps: [] }
          onChange({ access, uri: formatSource({ ...form, ...steps } as SourceForm) })
        }}
      />
      <TrySource state={tried} onFeed={(address) => setForm({ kind: 'feed', address })} />
      <div className="profiles-pair">
        <EveryField value={source.every} error={errors.every} onChange={(every) => onChange({ every })} />
        <Field label={text.process} error={errors.process}>
          <Select
            value={source.process}
            options={[{ value: '', label: text.defaultProcess(hasInterests) }, ...processes]}
            onChange={(process) => onChange({ process: process as DraftSource['process'] })}
          />
        </Field>
      </div>
      <details
        className="kit-details profiles-more"
        open={isOpen}
        onToggle={(event) => setIsOpen(event.currentTarget.open)}
      >
        <summary>{text.more}</summary>
        <div className="kit-form">
          <div className="profiles-pair">
            <Field label={text.depth} error={errors.depth}>
              <Select
                value={String(source.depth)}
                options={depthOptions}
                onChange={(value) => onChange({ depth: Number(value) })}
              />
            </Field>
            <Field label={text.scope} error={source.scope === 'pattern' ? undefined : errors.scope}>
              <Select
                value={source.scope}
                options={scopes}
                disabled={source.depth === 0}
                onChange={(scope) => onChange({ scope: scope as ScopeKind })}
              />
            </Field>
            {source.scope === 'pattern' && (
              <Field label={text.pattern} hint={text.patternHint} error={errors.scope}>
                <Input
                  spellCheck={false}
                  placeholder={text.patternExample}
                  value={source.pattern}
                  onChange={(pattern) => onChange({ pattern })}
                />
              </Field>
            )}
            <Field label={text.everyMax} hint={text.everyMaxHint} error={errors.everyMax}>
              <Input value={source.everyMax} onChange={(everyMax) => onChange({ everyMax })} />
            </Field>
          </div>
          <WindowFields place={`${place}.window`} value={source.window} onChange={(window) => onChange({ window })} />
        </div>
      </details>
      <PartFields place={place} source={source} onChange={onChange} />
    </li>
  )
}

/** The address of a source as form fields. Keeps the input even while it doesn't form an address yet. */
function useSourceForm(source: DraftSource, onChange: Props['onChange']) {
  const { uri, access } = source
  const abilitiesOf = useAbilities()
  const [typed, setTyped] = useState(() => parseSource(uri, access.render))
  const form = formatSource(typed) === uri ? typed : parseSource(uri, access.render)
  return {
    form,
    can: abilitiesOf(uri === '' ? emptyUris[form.kind] : uri),
    setForm(next: SourceForm) {
      setTyped(next)
      const nextUri = formatSource(next)
      const can = abilitiesOf(nextUri === '' ? emptyUris[next.kind] : nextUri)
      const render = next.kind === 'page' || next.kind === 'other' ? access.render : 'http'
      onChange({ uri: nextUri, access: fittingAccess({ ...access, render }, can) })
    },
  }
}

/** Placeholders for forms without an address yet, so that they show the fields of their protocol. */
const emptyUris: Record<SourceKind, string> = {
  ...{ page: 'https:', feed: 'https:', mailbox: 'imaps:', newsgroup: 'nntps:', database: 'postgres:' },
  ...{ query: 'query+https:', files: 'file:', other: 'https:' },
}

type EveryProps = { value: string; error: string | undefined; onChange: (every: string) => void }

function EveryField({ value, error, onChange }: EveryProps) {
  const isListed = Object.hasOwn(text.intervals, value)
  const [isOwn, setIsOwn] = useState(!isListed)
  const showsOwn = isOwn || !isListed
  return (
    <>
      <Field label={text.every} error={showsOwn ? undefined : error}>
        <Select
          value={showsOwn ? 'own' : value}
          options={intervals}
          onChange={(choice) => {
            setIsOwn(choice === 'own')
            if (choice !== 'own') onChange(choice)
          }}
        />
      </Field>
      {showsOwn && (
        <Field label={text.interval} hint={text.intervalHint} error={error}>
          <Input value={value} onChange={onChange} />
        </Field>
      )}
    </>
  )
}
