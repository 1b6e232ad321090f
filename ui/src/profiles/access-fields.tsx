import { useState } from 'react'
import { createPortal } from 'react-dom'
import { Link } from 'wouter'
import { useGet } from '../api/queries.ts'
import type { CredentialsList, Protocols } from '../api/types.ts'
import { Field, FieldError } from '../kit/field.tsx'
import { Select, Switch, TextArea, withOwn } from '../kit/input.tsx'
import { CredentialsDialog } from '../settings/credentials-dialog.tsx'
import type { Access } from './draft.ts'
import { complete, type SourceForm, schemeOf } from './source-uri.ts'
import { strings } from './strings.ts'

const text = strings.sources

export type Abilities = Protocols['items'][number]

/** The server's capabilities by URI scheme. They don't change while it runs. */
export function useAbilities(): (uri: string) => Abilities | undefined {
  const { data } = useGet<Protocols>(['protocols'], '/protocols', {}, { staleTime: Number.POSITIVE_INFINITY })
  return (uri) => {
    const scheme = schemeOf(complete(uri.trim()))
    return data?.items.find((each) => each.scheme === scheme)
  }
}

/** Resets options that the protocol doesn't support. */
export function fittingAccess(access: Access, can: Abilities | undefined): Access {
  if (can === undefined) return access
  return {
    render: can.browser ? access.render : 'http',
    credentials: can.credentials === 'none' ? '' : access.credentials,
    method: can.push ? access.method : 'pull',
  }
}

type Props = {
  form: SourceForm
  access: Access
  can: Abilities | undefined
  errors: Record<'render' | 'credentials' | 'method', string | undefined>
  onForm: (form: SourceForm) => void
  onAccess: (changes: Partial<Access>) => void
}

/** How a source is fetched. */
export function AccessFields({ form, access, can, errors, onForm, onAccess }: Props) {
  const isPage = form.kind === 'page' || (form.kind === 'other' && can?.browser === true)
  const isBrowser = access.render === 'browser'
  return (
    <>
      {(isPage || isBrowser) && (
        <div>
          <Switch
            label={text.browser}
            hint={text.browserHint}
            checked={isBrowser}
            onChange={(checked) => onAccess({ render: checked ? 'browser' : 'http' })}
          />
          <FieldError text={errors.render} />
        </div>
      )}
      {isBrowser && form.kind === 'page' && (
        <Field label={text.steps} hint={text.stepsHint}>
          <TextArea
            className="mono profiles-expression"
            rows={Math.min(8, form.steps.length + 1)}
            spellCheck={false}
            value={form.steps.join('\n')}
            onChange={(value) => onForm({ ...form, steps: value === '' ? [] : value.split('\n') })}
          />
        </Field>
      )}
      {(can?.credentials ?? 'none') !== 'none' && (
        <CredentialsField
          value={access.credentials}
          isRequired={can?.credentials === 'required'}
          error={errors.credentials}
          onChange={(credentials) => onAccess({ credentials })}
        />
      )}
      {(can?.push === true || access.method === 'push') && (
        <div>
          <Switch
            label={text.push}
            hint={text.pushHint}
            checked={access.method === 'push'}
            onChange={(checked) => onAccess({ method: checked ? 'push' : 'pull' })}
          />
          <FieldError text={errors.method} />
        </div>
      )}
    </>
  )
}

type CredentialsProps = {
  value: string
  isRequired: boolean
  error: string | undefined
  onChange: (name: string) => void
}

/** The option to add credentials; never a name, as names have no line breaks. */
const NEW = '\n'

function CredentialsField({ value, isRequired, error, onChange }: CredentialsProps) {
  const { data } = useGet<CredentialsList>(['credentials'], '/credentials')
  const [isAdding, setIsAdding] = useState(false)
  const names = (data?.items ?? []).map(({ name }) => ({ value: name, label: name }))
  const none = { value: '', label: text.noCredentials }
  const options = [...withOwn([none, ...names], value), { value: NEW, label: text.newCredentials }]
  return (
    <>
      <Field
        label={text.credentials}
        hint={
          <>
            {isRequired && value === '' && `${text.credentialsRequired} `}
            <Link href="/settings/credentials">{text.manageCredentials}</Link>
          </>
        }
        error={error}
      >
        <Select
          value={value}
          options={options}
          onChange={(name) => (name === NEW ? setIsAdding(true) : onChange(name))}
        />
      </Field>
      {isAdding && <NewCredentials onClose={() => setIsAdding(false)} onName={onChange} />}
    </>
  )
}

/** Rendered outside the profile form: forms can't be nested, and submitting this one must not save the profile. */
function NewCredentials({ onClose, onName }: { onClose: () => void; onName: (name: string) => void }) {
  return createPortal(
    <div role="presentation" onSubmit={(event) => event.stopPropagation()}>
      <CredentialsDialog known={null} onClose={onClose} onSaved={({ name }) => onName(name)} />
    </div>,
    document.body,
  )
}
