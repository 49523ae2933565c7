-- Every commit of an outcome wrote a page of it, a seventh of what a call costs. Only retention asked for it, and rarely.
DROP INDEX IF EXISTS executions_by_completion;
