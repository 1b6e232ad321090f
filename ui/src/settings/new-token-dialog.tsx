import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import type { NewToken, Token } from '../api/types.ts'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Field } from '../kit/field.tsx'
import { Input, Select } from '../kit/input.tsx'
import { useMe } from '../session/session.ts'
import { FormDialog, FormError, fieldError } from './form.tsx'
import { strings } from './strings.ts'

type Scope = Token['scopes'][number]
const DAY_MS = 86_400_000
const text = strings.tokens
const { never, ...inDays } = text.expiries
const expiries = [...Object.entries(inDays).map(([value, label]) => ({ value, label })), { value: '', label: never }]
const scopeOptions = Object.entries(text.scopes).map(([value, label]) => ({ value, label }))
/** Each includes those before it. */
const scopesOf: Record<Scope, Scope[]> = { read: ['read'], write: ['read', 'write'], admin: ['read', 'write', 'admin'] }

export function NewTokenDialog({ onClose }: { onClose: () => void }) {
  const me = useMe()
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [scope, setScope] = useState<Scope>('read')
  const [days, setDays] = useState('90')
  const make = useMutation({
    mutationFn: () => {
      const expiresAt = days === '' ? null : new Date(Date.now() + Number(days) * DAY_MS).toISOString()
      return api.post<NewToken>('/tokens', { name: name.trim(), scopes: scopesOf[scope], expiresAt })
    },
    onSuccess: () => void client.invalidateQueries({ queryKey: ['tokens'] }),
  })
  if (make.data !== undefined) return <Secret token={make.data} onClose={onClose} />
  return (
    <FormDialog
      title={text.new}
      submit={text.create}
      disabled={name.trim() === '' || make.isPending}
      onSubmit={() => make.mutate()}
      onClose={onClose}
    >
      <Field label={strings.name} hint={text.nameHint} error={fieldError(make.error, 'name')}>
        <Input maxLength={100} required value={name} onChange={(event) => setName(event.target.value)} />
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
      <FormError error={make.error} fields={['name']} />
    </FormDialog>
  )
}

function Secret({ token, onClose }: { token: NewToken; onClose: () => void }) {
  const [said, setSaid] = useState('')
  async function copy() {
    try {
      await navigator.clipboard.writeText(token.token)
      setSaid(text.copied)
    } catch {
      setSaid(text.copyFailed)
    }
  }
  return (
    <Dialog
      title={text.secretTitle(token.name)}
      onClose={onClose}
      actions={<Button label={text.done} variant="primary" onClick={onClose} />}
    >
      <div className="kit-form">
        <p>{text.secretBody}</p>
        <Field label={text.token}>
          <Input
            className="settings-secret"
            readOnly
            value={token.token}
            onFocus={(event) => event.currentTarget.select()}
          />
        </Field>
        <div className="kit-row">
          <Button label={text.copy} icon="copy" onClick={() => void copy()} />
          <span className="soft" role="status">
            {said}
          </span>
        </div>
      </div>
    </Dialog>
  )
}
