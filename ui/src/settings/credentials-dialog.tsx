import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { Credentials } from '../api/types.ts'
import { ConfirmDialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input, optionsOf, Select, TextArea } from '../kit/input.tsx'
import { showToast } from '../kit/toast.tsx'
import { fieldError, formError } from './form-errors.ts'
import { strings } from './strings.ts'

type Kind = Credentials['kind']
type FieldName = keyof typeof text.fields

const text = strings.credentials
const kinds = optionsOf(text.kinds)
const MAX_NAME = 100

const fieldsOf: Record<Kind, readonly FieldName[]> = {
  password: ['user', 'password'],
  bearer: ['token'],
  header: ['name', 'value'],
  cookie: ['cookie'],
  steps: ['steps', 'user', 'password'],
}

/** The field shown in the list; prefilled when stored credentials are edited. */
const shownField: Record<Kind, FieldName | null> = {
  password: 'user',
  bearer: null,
  header: 'name',
  cookie: null,
  steps: 'user',
}

const places = ['name', 'kind', ...Object.keys(text.fields).map((field) => `values.${field}`)]

type Props = { known: Credentials | null; onClose: () => void; onSaved?: (saved: Credentials) => void }

/** Adds credentials, or changes the values of stored ones. */
export function CredentialsDialog({ known, onClose, onSaved }: Props) {
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>(known?.kind ?? 'password')
  const shown = known === null ? null : shownField[known.kind]
  const [values, setValues] = useState<Record<string, string>>(shown === null ? {} : { [shown]: known!.hint })
  const isKept = known !== null && known.kind === kind
  const change = useChange(
    ['credentials'],
    () => {
      const given = fieldsOf[kind].flatMap((field) => {
        const value = values[field] ?? ''
        // Omitted fields keep their stored value.
        return value === '' && (isKept || kind === 'steps') ? [] : [[field, value]]
      })
      const body = { kind, values: Object.fromEntries(given) }
      return known === null
        ? api.post<Credentials>('/credentials', { name: name.trim(), ...body })
        : api.put<Credentials>(`/credentials/${known.id}`, body)
    },
    {
      onSuccess: (saved) => {
        onClose()
        onSaved?.(saved)
        showToast(known === null ? text.added(saved.name) : text.saved(saved.name))
      },
    },
  )
  return (
    <ConfirmDialog
      title={known === null ? text.new : text.editTitle(known.name)}
      confirm={known === null ? text.create : text.save}
      variant="primary"
      disabled={change.isPending || (known === null && name.trim() === '')}
      error={formError(change.error, places)}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      {known === null && (
        <Field label={strings.name} hint={text.nameHint} error={fieldError(change.error, 'name')}>
          <Input maxLength={MAX_NAME} required value={name} onChange={setName} />
        </Field>
      )}
      <Field label={text.kind} hint={text.kindHints[kind]} error={fieldError(change.error, 'kind')}>
        <Select value={kind} options={kinds} onChange={(value) => setKind(value as Kind)} />
      </Field>
      {fieldsOf[kind].map((field) => (
        <ValueField
          key={field}
          name={field}
          value={values[field] ?? ''}
          isKept={isKept && field !== shown}
          error={fieldError(change.error, `values.${field}`)}
          onChange={(value) => setValues({ ...values, [field]: value })}
        />
      ))}
    </ConfirmDialog>
  )
}

type ValueProps = {
  name: FieldName
  value: string
  /** Leaving it empty keeps the stored value. */
  isKept: boolean
  error: string | undefined
  onChange: (value: string) => void
}

const STEP_ROWS = 6

function ValueField({ name, value, isKept, error, onChange }: ValueProps) {
  const hint = [name === 'steps' ? text.stepsHint : '', isKept ? text.keepHint : ''].filter((each) => each !== '')
  const isSecret = name === 'password' || name === 'token' || name === 'value' || name === 'cookie'
  return (
    <Field label={text.fields[name]} {...(hint.length > 0 && { hint: hint.join(' ') })} error={error}>
      {name === 'steps' ? (
        <TextArea
          className="mono"
          rows={STEP_ROWS}
          spellCheck={false}
          placeholder={text.stepsExample}
          value={value}
          onChange={onChange}
        />
      ) : (
        <Input
          type={isSecret ? 'password' : 'text'}
          autoComplete={isSecret ? 'new-password' : 'off'}
          autoCapitalize="none"
          spellCheck={false}
          value={value}
          onChange={onChange}
        />
      )}
    </Field>
  )
}
