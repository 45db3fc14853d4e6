/** The end of a claim as one statement: each advance has one. */
export const END_CLAIM = `
/** False if commands came meanwhile. Whoever adds one takes the same lock, so that none is overlooked. */
create function end_claim(the_root text, the_epoch bigint) returns boolean language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended(the_root, 1));
  if exists (select from commands where root_id = the_root and state = 'queued') then return false; end if;
  update claims set claimed_until = null where root_id = the_root and epoch = the_epoch;
  return true;
end
$$;
`;
