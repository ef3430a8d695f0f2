/** Which names look like those of credentials. */
import type { ColumnType } from '@model-api/core'
import { looksLikeCredential } from '../../../packages/core/src/model/credential-names.ts'
import { equal } from '../../support/assert.ts'
import { suite } from '../../support/suite.ts'

const credentials = `
  password Password PASSWORD passwords passwd pwd user_pwd passwordHash password_hash passwordhash userpassword
  password_digest encrypted_password hashed_password password2 password_1 old_password password_confirmation
  password_hint passphrase pass pass_crypt pass_hash pass_word user_pass smtp_pass db_pass passcode
  secret secrets client_secret clientSecret clientsecret otp_secret totp_secret OTPSecret webhook_secret secret_value
  token api_token accessToken access_token authtoken refresh_token reset_password_token csrf_token token_hash
  remember_token jwt otp totp salt password_salt credential credentials
  api_key apiKey APIKey apikey api_keys key_hash apiKeyHash secret_key private_key privatekey ssh_private_key access_key
  signing_key encryption_key session_key user_activation_key
  recovery_code recovery_codes two_factor_recovery_codes backup_codes reset_code verification_code
  hash password_sha256_hash md5_hash token_hashes pin user_pin pin_hash cvv security_answer secret_answer
`
const others = `
  token_count tokenCount token_type token_name token_symbol token_expires_at tokens_used_at tokenizer tokenized
  passenger passed passport passport_number compass pass_count boarding_pass bypass password_changed_at
  password_policy password_expires secretary secretary_name secret_name secret_question secret_id
  api_key_id api_key_name access_key_id public_key sort_key primary_key foreign_key license_key keyword monkey
  content_hash contentHash file_hash commit_hash block_hash hashtag hash_tag geo_hash hash_algorithm
  pinned pin_code pincode opinion spinner pinterest salted basalt saltiness otp_enabled otp_method
  zip_code country_code security_code confirmation_code code title name email id key value data
  credential_type credentials_expire_at reset_at verified login shape posted
`
const words = (text: string): string[] => text.trim().split(/\s+/)

const byType: readonly (readonly [name: string, type: ColumnType, expected: boolean])[] = [
  ['password', 'string', true],
  ['password', 'binary', true],
  ['recovery_codes', 'json', true],
  ['reset_token', 'uuid', true],
  ['pin', 'integer', true],
  ['otp', 'bigint', true],
  ['reset_code', 'integer', true],
  ['token', 'integer', false],
  ['tokens', 'integer', false],
  ['salt', 'decimal', false],
  ['pin', 'boolean', false],
  ['code', 'integer', false],
  ['password', 'datetime', false],
  ['secret', 'boolean', false],
  ['token', 'enum', false],
  ['token', 'date', false],
  ['hash', 'float', false],
]

const byTable: readonly (readonly [
  table: string,
  name: string,
  type: ColumnType,
  expected: boolean,
])[] = [
  ['api_keys', 'key', 'string', true],
  ['ApiKeys', 'Value', 'text', true],
  ['secrets', 'data', 'json', true],
  ['password_resets', 'code', 'string', true],
  ['personal_access_tokens', 'name', 'string', false],
  ['api_keys', 'key', 'integer', false],
  ['token_types', 'value', 'string', false],
  ['settings', 'key', 'string', false],
  ['sessions', 'id', 'string', true],
  ['session', 'sid', 'string', true],
  ['user_sessions', 'session_id', 'uuid', true],
  ['sessions', 'id', 'uuid', false],
  ['sessions', 'session_id', 'integer', false],
  ['visits', 'session_id', 'string', false],
]

suite('names of credentials', (test) => {
  test('are recognised as words, whatever their case', () => {
    equal(
      words(credentials).filter((name) => !looksLikeCredential(name)),
      [],
    )
  })

  test('are not recognised in names that only resemble them', () => {
    equal(
      words(others).filter((name) => looksLikeCredential(name)),
      [],
    )
  })

  for (const [name, type, expected] of byType) {
    test(`${name} of type ${type} is ${expected ? 'a' : 'no'} credential`, () =>
      equal(looksLikeCredential(name, type), expected))
  }

  for (const [table, name, type, expected] of byTable) {
    test(`${name} of type ${type} in ${table} is ${expected ? 'a' : 'no'} credential`, () =>
      equal(looksLikeCredential(name, type, table), expected))
  }
})
