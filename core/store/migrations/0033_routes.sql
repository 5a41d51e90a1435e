-- The agentic route is what graph is now; the hybrid and the hierarchical one are compositions.
UPDATE pinned_questions SET route = 'graph' WHERE route = 'agentic';
UPDATE pinned_questions SET route = 'lab:' || route WHERE route IN ('hybrid', 'hierarchical');
-- No filter learns from decisions any more.
DELETE FROM settings WHERE name = 'review.filter';
