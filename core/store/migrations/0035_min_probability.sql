-- The least probability of a guess has the name of what it is.
UPDATE settings SET value = replace(value, 'answer.told=', 'answer.min_probability=') WHERE name = 'asking';
UPDATE pin_runs SET settings = replace(settings, 'answer.told=', 'answer.min_probability=');
