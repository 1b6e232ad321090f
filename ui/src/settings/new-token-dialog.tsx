import { useState } from 'react'
import { api } from '../api/client.ts'
import { useChange } from '../api/queries.ts'
import type { NewToken, Token } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { CopyText } from '../kit/copy-text.tsx'
import { ConfirmDialog, Dialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input, optionsOf, Select } from '../kit/input.tsx'
import { strings as shared } from '../kit/strings.ts'
import { useMe } from '../session/session.ts'
import { fieldError, formError } from './form-errors.ts'
import { strings } from './strings.ts'

type Scope = Token['scopes'][number]
const DAY_MS = 86_400_000
const text = strings.tokens
const { never, ...inDays } = text.expiries
const expiries = [...optionsOf(inDays), { value: '', label: never }]
const scopeOptions = optionsOf(text.scopes)
/** Each includes those before it. */
const scopesOf: Record<Scope, Scope[]> = { read: ['read'], write: ['read', 'write'], admin: ['read', 'write', 'admin'] }

export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('read')
  const [days, setDays] = useState('90')
  const make = useChange(['tokens'], () => {
    const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
    return api.post<NewToken>('/tokens', { name: name.trim(), scopes: scopesOf[scope], expiresAt })
  })
  if (make.data !== undefined) return <Secret token={make.data} onClose={onClose} />
  return (
    <ConfirmDialog
      title={text.new}
      confirm={text.create}
      variant="primary"
      disabled={name.trim() === '' || make.isPending}
      error={formError(make.error, ['name'])}
      onConfirm={make.mutate}
      onClose={onClose}
    >
      <Field label={strings.name} hint={text.nameHint} error={fieldError(make.error, 'name')}>
        <Input maxLength={100} required value={name} onChange={setName} />
      </Field>
      <Field label={text.access}>
        <Select
          value={scope}
          options={scopeOptions.filter(({ value }) => value !== 'admin' || me.role === 'administrator')}
          onChange={(value) => setScope(value as Scope)}
        />
      </Field>
      <Field label={text.expires}>
        <Select value={days} options={expiries} onChange={setDays} />
      </Field>
    </ConfirmDialog>
  )
}

function Secret({ token, onClose }: { token: NewToken; onClose: () => void }) {
  return (
    <Dialog
      title={text.secretTitle(token.name)}
      onClose={onClose}
      actions={<Button label={shared.done} variant="primary" onClick={onClose} />}
    >
      <div className="kit-form">
        <p>{text.secretBody}</p>
        <CopyText label={text.token} value={token.token} />
      </div>
    </Dialog>
  )
}
